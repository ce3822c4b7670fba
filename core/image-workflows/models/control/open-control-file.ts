/** Opens control nets in files of weights. Their graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { ModelGraph } from '../../values/model-graph.ts';
import { controlNetGraph } from '../families/control-net-graph.ts';
import { ldmControlNet } from '../families/control-net-names.ts';
import type { UnetOptions } from '../families/unet-blocks.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile, type WeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import foreignNets from './foreign-control-nets.json' with { type: 'json' };

/** The width of the prompts of Stable Diffusion 1. */
const SD1_CONTEXT = 768;

/** Files of nets that transfer colors. Their weights do not say so. */
const POOLED = /_shuffle(_fp16)?\.\w+$/i;

export interface ControlFile {
  readonly graph: ModelGraph;
  /** Whether the weights are differences to those of a model. */
  readonly hasDifferences: boolean;
}

/**
 * Reads the file's table only. Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for
 * a file without a known control net.
 */
export async function openControlFile(host: Host, path: FilePath): Promise<ControlFile> {
  const file = await readWeightFile(host.files, path);
  const weights = controlNetWeights(file);
  const options = { ...headsOf(weights), ...(POOLED.test(file.name) && { isPooled: true }) };
  const graph = new WeightFileGraphs(host, file).graph('control', weights, () =>
    controlNetGraph(weights, options),
  );
  return { graph, hasDifferences: file.table.has('difference') };
}

function controlNetWeights(file: WeightFile): WeightTable {
  const { table, name } = file;
  const foreign = foreignNets.find(({ key }) => table.has(key));
  if (foreign)
    throw new ModelUnsupported(`${name} is ${foreign.name}, which cannot be used here: ${foreign.instead}`);
  if (table.has('controlnet_cond_embedding.conv_in.weight')) return table;
  const weights = ldmControlNet(table);
  if (weights) return weights;
  throw new ModelUnsupported(`${name} holds no control net that is known here: ${describeContents(file)}`);
}

/** Stable Diffusion 1 has 8 heads on all levels. Those of the later models have 64 numbers each. */
function headsOf(weights: WeightTable): UnetOptions {
  for (const [name, { shape }] of weights)
    if (name.endsWith('.attn2.to_k.weight') && shape[1] === SD1_CONTEXT) return { heads: 8 };
  return { headWidth: 64 };
}
