/** Upscale models: ONNX graphs from [batch, 3, height, width] to the same with larger sides, and files of weights. */
import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { crop, mirrorToMultiple } from '../../images/operations/geometry.ts';
import {
  emptyRaster,
  imageRaster,
  planesToRaster,
  type Raster,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../../images/rasters.ts';
import type { UpscaleModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, toFloatTensor } from '../graphs/session-tensors.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import type { UpscalerNetwork } from './networks/upscaler-network.ts';
import { recognizeUpscaler } from './recognize-upscaler.ts';

const FOLDER = 'models/upscale_models';
/** The side of a test image, whose result shows the scale. All models accept this size. */
const TEST_SIDE = 64;
const EXTENSIONS = /\.(onnx|safetensors|sft|pth|pt|bin|ckpt)$/i;

export const upscaleModelNames = async (files: WorkflowFiles): Promise<string[]> =>
  (await files.models('upscale_models')).filter((name) => EXTENSIONS.test(name));

/**
 * Rejects with `FileMissing`, with `ModelCorrupt` for damaged files, with `ModelUnsupported` for weights of an unknown
 * network, and for graphs that do not enlarge images.
 */
export const loadUpscaleModel = (host: Host, name: string, signal: AbortSignal): Promise<UpscaleModel> =>
  name.toLowerCase().endsWith('.onnx') ? openGraph(host, name, signal) : openWeights(host, name);

/** Reads the file's table only: weights are read at the first use. */
async function openWeights(host: Host, name: string): Promise<UpscaleModel> {
  const file = await readWeightFile(host.files, `${FOLDER}/${name}`);
  const network = recognizeUpscaler(file);
  const graph = new WeightFileGraphs(host, file).graph('upscaler', network.weights, () => network.graph);
  return upscaleModel(graph, name, network);
}

async function openGraph(host: Host, name: string, signal: AbortSignal): Promise<UpscaleModel> {
  const graph = graphsOf(host).at(`${FOLDER}/${name}`);
  const test = emptyRaster(1, TEST_SIDE, TEST_SIDE, 3, 0.5);
  const { height, width, channels } = await enlarged(graph, name, test, signal);
  const scale = height / TEST_SIDE;
  if (channels !== 3 || !Number.isInteger(scale) || width !== height)
    throw new Error(
      `${name} is no upscale model: it makes ${width} x ${height} pixels with ${channels} channels of ${TEST_SIDE} x ${TEST_SIDE} with 3`,
    );
  return upscaleModel(graph, name, { scale, multiple: 1, minimum: 1 });
}

type Sizes = Pick<UpscalerNetwork, 'scale' | 'multiple' | 'minimum'>;

const upscaleModel = (
  graph: ModelGraph,
  name: string,
  { scale, multiple, minimum }: Sizes,
): UpscaleModel => ({
  scale,
  async upscale(pixels, signal) {
    const image = withChannels(imageRaster(pixels), 3);
    const isSmall = Math.min(image.width, image.height) < minimum;
    const mirrored = mirrorToMultiple(image, isSmall ? minimum : multiple);
    const larger = await enlarged(graph, name, mirrored, signal);
    return rasterToImage(crop(larger, 0, 0, image.width * scale, image.height * scale));
  },
});

async function enlarged(
  graph: ModelGraph,
  name: string,
  image: Raster,
  signal: AbortSignal,
): Promise<Raster> {
  const session = await graph.session(signal);
  const [input] = session.inputs;
  const [output] = session.outputs;
  if (!input || !output) throw new Error(`the graph of ${name} has no input or no output`);
  const results = await session.run({ [input.name]: feed(input, rasterToPlanes(image)) }, signal);
  const larger = toFloatTensor(results[output.name]!);
  if (larger.shape.length !== 4)
    throw new Error(`${name} is no upscale model: it makes [${larger.shape.join(', ')}] of an image`);
  return planesToRaster(larger);
}
