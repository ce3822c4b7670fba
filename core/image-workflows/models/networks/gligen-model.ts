/** UNets of GLIGEN: those of Stable Diffusion 1 with further layers that are told of boxes. */
import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { GligenModel } from '../../values/gligen.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { ModelFolder } from '../model-files/model-folder.ts';
import { modelNames, rejectBareWeights } from '../model-files/model-names.ts';
import { residualShapes } from './control-residuals.ts';
import { GLIGEN_INPUTS } from './gligen-inputs.ts';
import { onnxNetwork } from './onnx-network.ts';
import { NETWORK_FOLDERS } from './open-denoiser.ts';
import { unetLayout } from './unet-layout.ts';

const FOLDER = 'models/gligen';
const HOW = `export the UNet of a StableDiffusionGLIGENPipeline with torch.onnx.export and the further inputs ${GLIGEN_INPUTS.join(', ')}, and put its folder into ${FOLDER}`;

export const gligenModelNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'gligen', ['unet/model.onnx', 'model.onnx'], true);

/** A folder with `model.onnx`, or an `.onnx` file. Throws for weights without a graph, and for graphs that take no boxes. */
export async function loadGligenModel(host: Host, name: string): Promise<GligenModel> {
  await rejectBareWeights(host, FOLDER, name, HOW);
  const path = `${FOLDER}/${name}`;
  const folder = new ModelFolder(host, path);
  const isFile = name.endsWith('.onnx') && (await host.files.stat(path))?.kind === 'file';
  const place = isFile ? folder : folder.at((await folder.folderWithGraph(...NETWORK_FOLDERS)) ?? '');
  const { graph } = place;
  const { inputs } = await graph.source.outline();
  if (!GLIGEN_INPUTS.every((input) => inputs.includes(input)))
    throw new Error(`${name} is told of no boxes: its graph takes ${inputs.join(', ')}. To make one, ${HOW}`);
  const layout = unetLayout(residualShapes(isFile ? {} : ((await place.json('config.json')) ?? {})));
  await graphsOf(host).keepOnly(FOLDER, name);
  /** Made once for each network, as a merged graph is opened anew. */
  const made = new WeakMap<DiffusionNetwork, Promise<DiffusionNetwork>>();

  async function make(network: DiffusionNetwork, signal: AbortSignal): Promise<DiffusionNetwork> {
    if (!network.graph) throw new Error(`the weights of this model cannot be given to ${name}`);
    const merged = await mergeGraphs(graph, network.graph, 'diffusion models', () => () => SECOND);
    // Two networks are too many for most devices; it is opened again where it is asked without boxes.
    await network.graph.unload();
    let own = onnxNetwork(merged, layout);
    for (const change of network.patches ?? []) own = await own.withPatch!(change, signal);
    return own;
  }
  return {
    name,
    networkFor(network, signal) {
      const known = made.get(network) ?? make(network, signal);
      made.set(network, known);
      // It may be mended, or wanted again.
      known.catch(() => made.delete(network));
      return known;
    },
  };
}

/** All weights that both have are the second's. */
const SECOND = { first: 0, second: 1 };
