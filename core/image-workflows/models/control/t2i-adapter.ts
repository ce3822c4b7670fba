/** T2I adapters: the residuals follow from the image alone, so each image runs once. */
import { imageRaster, rasterToPlanes, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { toBatch } from '../../values/batches.ts';
import type { ControlNet } from '../../values/control-net.ts';
import { CELL_SIDE } from '../../values/latent.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { ControlResidual } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { isInputBlockResidual } from '../networks/control-residuals.ts';

/** Pixels along a side of a cell of the adapters for SDXL, which change the middle of the UNet as well. */
const LARGE_CELL = 16;
/** Several nodes and areas may use one adapter with different images. */
const MAX_IMAGES = 4;

interface SeenImage {
  image: FloatTensor;
  size: string;
  residuals: ControlResidual[];
}

/** Whether a graph with these outputs is a T2I adapter. */
export const isT2iAdapter = (outputs: readonly string[]): boolean => outputs.some(isInputBlockResidual);

/** The residuals of a T2I adapter's graph. The prompts and the noisy latent do not matter. */
export function adapterResiduals(graph: ModelGraph): ControlNet['residuals'] {
  let seen: SeenImage[] = [];
  return async (x, _timestep, prompts, image, signal) => {
    const [batch = 1, , height = 1, width = 1] = x.shape;
    const size = `${batch} ${height}x${width}`;
    let match = seen.find((each) => each.image === image && each.size === size);
    if (!match) {
      match = { image, size, residuals: await residualsOf(graph, image, [batch, height, width], signal) };
      seen = [match, ...seen].slice(0, MAX_IMAGES);
    }
    return prompts.map(() => match.residuals);
  };
}

async function residualsOf(
  graph: ModelGraph,
  image: FloatTensor,
  [batch, height, width]: readonly [number, number, number],
  signal: AbortSignal,
): Promise<ControlResidual[]> {
  const session = await graph.session(signal);
  const slot = requireSlot(session, 'controlnet_cond');
  const isLarge = session.outputs.some(({ name }) => !isInputBlockResidual(name));
  const side = isLarge ? LARGE_CELL : CELL_SIDE;
  const pixels = (cells: number) => Math.ceil((cells * CELL_SIDE) / side) * side;
  const raster = resize(
    withChannels(imageRaster(image), 3),
    pixels(width),
    pixels(height),
    'nearest-exact',
    'center',
  );
  const planes = rasterToPlanes(raster);
  const hint = slot.shape[1] === 1 ? meanColor(planes) : planes;
  const outputs = await session.run({ [slot.name]: feed(slot, hint) }, signal);
  return Object.entries(outputs).map(([input, tensor]) => ({
    ...toBatch([toFloatTensor(tensor)], batch),
    input,
  }));
}

/** [images, 3, height, width] to [images, 1, height, width]. */
function meanColor({ shape, data }: FloatTensor): FloatTensor {
  const [images = 1, channels = 1, height = 1, width = 1] = shape;
  const size = height * width;
  const mean = Float32Array.from({ length: images * size }, (_, at) => {
    const start = Math.floor(at / size) * channels * size + (at % size);
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += data[start + channel * size]!;
    return sum / channels;
  });
  return { shape: [images, 1, height, width], data: mean };
}
