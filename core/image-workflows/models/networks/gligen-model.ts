/** GLIGEN UNets: those of Stable Diffusion 1 with additional layers that take boxes. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { GligenModel } from '../../values/gligen.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { gligenWeights } from '../families/gligen/gligen-names.ts';
import { unetGraph } from '../families/unet/unet-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { jointGraph } from '../weight-files/joint-graph.ts';
import { readWeightFile, type WeightFile } from '../weight-files/read-weight-file.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { withChangedWeights } from './changed-weights.ts';
import { residualShapes } from './control-residuals.ts';
import { GLIGEN_INPUTS } from './gligen-inputs.ts';
import { type NetworkLayout, onnxNetwork } from './onnx-network.ts';
import { NETWORK_FOLDERS } from './open-denoiser.ts';
import { unetLayout } from './unet-layout.ts';

const FOLDER = 'models/gligen';
const HOW = `export the UNet of a StableDiffusionGLIGENPipeline with torch.onnx.export and the further inputs ${GLIGEN_INPUTS.join(', ')}, and put its folder into ${FOLDER}`;

/** Those of Stable Diffusion 1, for which the published file is. */
const HEADS = { heads: 8 };

/** All common weights are those of the second network. */
const SECOND = { first: 0, second: 1 };

export const gligenModelNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'gligen', ['unet/model.onnx', 'model.onnx'], true);

/**
 * `name`: a folder with `model.onnx`, an `.onnx` file, or a file of weights. Rejects for graphs that take no boxes, and
 * for other weights.
 */
export async function loadGligenModel(host: Host, name: string): Promise<GligenModel> {
  const path: FilePath = `${FOLDER}/${name}`;
  if (await isWeightFile(host, path)) return gligenFile(host, await readWeightFile(host.files, path));
  const folder = new ImageModelFolder(host, path);
  const isFile = name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file';
  const networkFolder = isFile
    ? folder
    : folder.subfolder((await folder.folderWithGraph(...NETWORK_FOLDERS)) ?? '');
  const { graph } = networkFolder;
  const { inputs } = await graph.source.outline();
  if (!GLIGEN_INPUTS.every((input) => inputs.includes(input)))
    throw new Error(
      `${name} takes no boxes: the inputs of its graph are ${inputs.join(', ')}. To make one, ${HOW}`,
    );
  const layout = unetLayout(
    residualShapes(isFile ? {} : ((await networkFolder.readJson('config.json')) ?? {})),
  );
  await graphsOf(host).keepOnly(FOLDER, name);
  return gligenModel(name, layout, (base) =>
    mergeGraphs(graph, base, 'diffusion models', () => () => SECOND),
  );
}

/** The layers in a file of weights, between those of the network that they are used with. */
function gligenFile(host: Host, file: WeightFile): GligenModel {
  const own = gligenWeights(file.table);
  if (!own) throw new ModelUnsupported(`${file.name} holds no layers of GLIGEN: ${describeContents(file)}`);
  const build = (weights: WeightTable) => unetGraph(weights, HEADS);
  const layout = unetLayout(residualShapes({}));
  return gligenModel(file.name, layout, async (base) =>
    withChangedWeights(await jointGraph(host, { kind: 'GLIGEN', file, own, base, build }), base),
  );
}

/** @param mergedWith the graph with the weights of a network's graph */
function gligenModel(
  name: string,
  layout: NetworkLayout,
  mergedWith: (base: ModelGraph) => Promise<ModelGraph>,
): GligenModel {
  // Cached per network: a merged graph has to be opened anew.
  const merged = new WeakMap<DiffusionNetwork, Promise<DiffusionNetwork>>();

  async function merge(network: DiffusionNetwork, signal: AbortSignal): Promise<DiffusionNetwork> {
    if (!network.graph) throw new Error(`the weights of this model cannot be merged into ${name}`);
    const mergedGraph = await mergedWith(network.graph);
    // Most devices cannot hold two networks. The original one opens again when a prompt has no boxes.
    await network.graph.unload();
    let result = onnxNetwork(mergedGraph, layout);
    for (const patch of network.patches ?? []) result = await result.withPatch!(patch, signal);
    return result;
  }
  return {
    name,
    networkFor(network, signal) {
      const result = merged.get(network) ?? merge(network, signal);
      merged.set(network, result);
      // After a failure or an interrupt, the next call tries again.
      result.catch(() => merged.delete(network));
      return result;
    },
  };
}
