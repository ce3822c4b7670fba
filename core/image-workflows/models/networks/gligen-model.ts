/** GLIGEN UNets: those of Stable Diffusion 1 with additional layers that take boxes. */
import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { GligenModel } from '../../values/gligen.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { residualShapes } from './control-residuals.ts';
import { GLIGEN_INPUTS } from './gligen-inputs.ts';
import { onnxNetwork } from './onnx-network.ts';
import { NETWORK_FOLDERS } from './open-denoiser.ts';
import { unetLayout } from './unet-layout.ts';

const FOLDER = 'models/gligen';
const HOW = `export the UNet of a StableDiffusionGLIGENPipeline with torch.onnx.export and the further inputs ${GLIGEN_INPUTS.join(', ')}, and put its folder into ${FOLDER}`;

/** All common weights are those of the second network. */
const SECOND = { first: 0, second: 1 };

export const gligenModelNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'gligen', ['unet/model.onnx', 'model.onnx'], true);

/**
 * `name`: a folder with `model.onnx`, or an `.onnx` file. Rejects for weights without a graph, and for graphs that take
 * no boxes.
 */
export async function loadGligenModel(host: Host, name: string): Promise<GligenModel> {
  await rejectBareWeights(host, FOLDER, name, HOW);
  const path = `${FOLDER}/${name}`;
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
  // Cached per network: a merged graph has to be opened anew.
  const merged = new WeakMap<DiffusionNetwork, Promise<DiffusionNetwork>>();

  async function merge(network: DiffusionNetwork, signal: AbortSignal): Promise<DiffusionNetwork> {
    if (!network.graph) throw new Error(`the weights of this model cannot be merged into ${name}`);
    const mergedGraph = await mergeGraphs(graph, network.graph, 'diffusion models', () => () => SECOND);
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
