/** Models that make pictures larger: one ONNX graph from [batch, 3, height, width] to the same, some times as large. */
import type { FilePath, Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { NamedGraphFile } from '../../host/tensor-engine.ts';
import type { WorkflowFiles } from '../files/workflow-files.ts';
import {
  imageRaster,
  planesToRaster,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../images/rasters.ts';
import { type FloatTensor, filled } from '../values/tensor.ts';
import type { UpscaleModel } from '../values/types.ts';
import { Graph } from './graph.ts';
import { feed, floats } from './tensors.ts';

const FOLDER = 'models/upscale_models';
/** A picture that every such model takes, to see how large it comes back. */
const TRIAL = 64;

export const upscaleModelNames = async (files: WorkflowFiles): Promise<string[]> =>
  (await files.models('upscale_models')).filter((name) => name.endsWith('.onnx'));

/** Models of each host, by name. */
const known = new WeakMap<Host, Map<string, Graph>>();

/** Throws for names that there are not, weights without a graph, and graphs that do not enlarge pictures. */
export async function loadUpscaleModel(host: Host, name: string, signal: AbortSignal): Promise<UpscaleModel> {
  if (!name.endsWith('.onnx'))
    throw new Error(
      `${name} is no ONNX graph. Convert it once with Python (torch.onnx.export with free height and width) and put the .onnx file into ${FOLDER}`,
    );
  const graph = graphOf(host, name);
  const run = async (planes: FloatTensor, stop: AbortSignal): Promise<FloatTensor> => {
    const session = await graph.session(stop);
    const [input] = session.inputs;
    const [output] = session.outputs;
    if (!input || !output) throw new Error(`the graph of ${name} has no input or no output`);
    return floats((await session.run({ [input.name]: feed(input, planes) }, stop))[output.name]!);
  };
  const trial = await run(filled([1, 3, TRIAL, TRIAL], 0.5), signal);
  const scale = (trial.shape[2] ?? 0) / TRIAL;
  if (
    trial.shape.length !== 4 ||
    trial.shape[1] !== 3 ||
    !Number.isInteger(scale) ||
    trial.shape[3] !== TRIAL * scale
  )
    throw new Error(
      `${name} is no model that enlarges pictures: it makes [${trial.shape.join(', ')}] of [1, 3, ${TRIAL}, ${TRIAL}]`,
    );
  return {
    scale,
    async upscale(pixels, stop) {
      const planes = rasterToPlanes(withChannels(imageRaster(pixels), 3));
      return rasterToImage(planesToRaster(await run(planes, stop)));
    },
  };
}

/** Frees the memory of all; they are opened again when they are used. */
export async function unloadUpscaleModels(host: Host): Promise<void> {
  await Promise.all([...(known.get(host)?.values() ?? [])].map((graph) => graph.unload()));
}

function graphOf(host: Host, name: string): Graph {
  const graphs = known.get(host) ?? new Map<string, Graph>();
  known.set(host, graphs);
  const graph = graphs.get(name) ?? new Graph(host, (files) => graphOfFile(files, `${FOLDER}/${name}`));
  graphs.set(name, graph);
  return graph;
}

/** A graph and the files beside it whose names go on from its own: its data. */
async function graphOfFile(files: Files, path: FilePath): Promise<NamedGraphFile[]> {
  const graph = await files.stat(path);
  if (graph?.kind !== 'file') throw new Error(`there is no ${path}`);
  const last = (place: string) => place.slice(place.lastIndexOf('/') + 1);
  const beside = (await files.list(path.slice(0, path.lastIndexOf('/')))) ?? [];
  const parts: NamedGraphFile[] = beside
    .filter((file) => file.kind === 'file' && file.path !== path && file.path.startsWith(path))
    .map((file) => ({ role: 'part', name: last(file.path), size: file.size, path: file.path }));
  return [{ role: 'weights', name: last(path), size: graph.size, path }, ...parts];
}
