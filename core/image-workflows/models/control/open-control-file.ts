/** Opens control nets in files of weights. Their graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { ModelGraph } from '../../values/model-graph.ts';
import { controlNetGraph } from '../families/control-nets/control-net-graph.ts';
import { ldmControlNet } from '../families/control-nets/control-net-names.ts';
import { t2iAdapterGraph } from '../families/t2i-adapter/t2i-adapter-graph.ts';
import { t2iAdapterWeights } from '../families/t2i-adapter/t2i-adapter-names.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile, type WeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { headsOf } from './control-heads.ts';
import { CONTROL_LORA } from './control-lora.ts';
import foreignNets from './foreign-control-nets.json' with { type: 'json' };
import { isSd35Control } from './sd35-control.ts';
import { type TransformerControl, transformerControlWeights } from './transformer-control-files.ts';

/** Files of nets that transfer colors. Their weights do not say so. */
const POOLED = /_shuffle(_fp16)?\.\w+$/i;

export interface ControlFile {
  readonly graph: ModelGraph;
  /** Whether the weights are differences to those of a model. */
  readonly hasDifferences: boolean;
  /** For a net of a transformer. */
  readonly transformer?: TransformerControl;
}

/** A control net that is complete together with a model: see `controlLora`. */
export interface ControlLoraFile {
  readonly lora: WeightFile;
}

/** The same with a model of Stable Diffusion 3.5: see `sd35ControlNet`. */
export interface Sd35ControlFile {
  readonly sd35: WeightFile;
}

/**
 * Reads the file's table only. Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for
 * a file without a known control net.
 */
export async function openControlFile(
  host: Host,
  path: FilePath,
): Promise<ControlFile | ControlLoraFile | Sd35ControlFile> {
  const file = await readWeightFile(host.files, path);
  if (file.table.has(CONTROL_LORA)) return { lora: file };
  if (isSd35Control(file.table)) return { sd35: file };
  const adapter = t2iAdapterWeights(file.table);
  if (adapter) {
    const graph = new WeightFileGraphs(host, file).graph('adapter', adapter, () => t2iAdapterGraph(adapter));
    return { graph, hasDifferences: false };
  }
  const net = transformerControlWeights(file.table);
  if (net) {
    const graph = new WeightFileGraphs(host, file).graph('control', net.weights, net.build);
    return { graph, hasDifferences: false, transformer: net.control };
  }
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
