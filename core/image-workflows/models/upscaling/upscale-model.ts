/** Upscale models: one ONNX graph from [batch, 3, height, width] to the same with larger sides. */
import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import {
  imageRaster,
  planesToRaster,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../../images/rasters.ts';
import type { UpscaleModel } from '../../values/image-models.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, toFloatTensor } from '../graphs/session-tensors.ts';

const FOLDER = 'models/upscale_models';
/** The side of a test image, whose result shows the scale. All models accept this size. */
const TEST_SIDE = 64;

export const upscaleModelNames = async (files: WorkflowFiles): Promise<string[]> =>
  (await files.models('upscale_models')).filter((name) => name.endsWith('.onnx'));

/** Rejects for missing files, weights without a graph, and graphs that do not enlarge images. */
export async function loadUpscaleModel(host: Host, name: string, signal: AbortSignal): Promise<UpscaleModel> {
  if (!name.endsWith('.onnx'))
    throw new Error(
      `${name} is no ONNX graph. Convert it once with Python (torch.onnx.export with free height and width) and put the .onnx file into ${FOLDER}`,
    );
  const graph = graphsOf(host).at(`${FOLDER}/${name}`);
  const run = async (planes: FloatTensor, stop: AbortSignal): Promise<FloatTensor> => {
    const session = await graph.session(stop);
    const [input] = session.inputs;
    const [output] = session.outputs;
    if (!input || !output) throw new Error(`the graph of ${name} has no input or no output`);
    return toFloatTensor((await session.run({ [input.name]: feed(input, planes) }, stop))[output.name]!);
  };
  const { shape } = await run(full([1, 3, TEST_SIDE, TEST_SIDE], 0.5), signal);
  const scale = (shape[2] ?? 0) / TEST_SIDE;
  if (shape.length !== 4 || shape[1] !== 3 || !Number.isInteger(scale) || shape[3] !== TEST_SIDE * scale)
    throw new Error(
      `${name} is no upscale model: it makes [${shape.join(', ')}] of [1, 3, ${TEST_SIDE}, ${TEST_SIDE}]`,
    );
  return {
    scale,
    async upscale(pixels, stop) {
      const planes = rasterToPlanes(withChannels(imageRaster(pixels), 3));
      return rasterToImage(planesToRaster(await run(planes, stop)));
    },
  };
}
