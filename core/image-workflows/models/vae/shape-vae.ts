/** Autoencoders of shapes. */
import { ModelUnsupported } from '#core/host';
import type { ShapeCodec, VaeModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { lastSidesSwapped } from '../families/hunyuan3d/hunyuan3d-layout.ts';
import { feed, feedAll, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';

/** Half of the side of the cube that is decoded. */
const BOUND = 1.01;

export interface ShapeVaeParts {
  /** The latents of a shape. */
  latents: ModelGraph;
  /** Points in space. */
  points: ModelGraph;
  latentChannels: number;
}

/** Images are refused with the node for shapes. */
export function shapeVae({ latents, points, latentChannels }: ShapeVaeParts): VaeModel {
  const refuse = async (): Promise<never> => {
    throw new ModelUnsupported('this is an autoencoder of shapes: use VAEDecodeHunyuan3D');
  };
  const decode: ShapeCodec['decode'] = async (
    { shape, data },
    { resolution, pointsAtOnce, onProgress },
    signal,
  ) => {
    const [batch = 1, channels = 0, ...sides] = shape;
    if (sides.length !== 1 || channels !== latentChannels)
      throw new TypeError(
        `this autoencoder takes latents of shapes, [batch, ${latentChannels}, cells], and these are [${shape.join(', ')}]: use EmptyLatentHunyuan3Dv2`,
      );
    const side = resolution + 1;
    const result = zeros([batch, side, side, side]);
    const size = data.length / batch;
    for (let index = 0; index < batch; index++) {
      const part = data.subarray(index * size, (index + 1) * size);
      const cells = await encodeCells(
        lastSidesSwapped({ shape: [1, channels, ...sides], data: part }),
        signal,
      );
      for (let start = 0; start < side ** 3; start += pointsAtOnce) {
        const count = Math.min(pointsAtOnce, side ** 3 - start);
        const densities = await densitiesAt(gridPoints(side, start, count), cells, signal);
        for (let at = 0; at < count; at++)
          result.data[index * side ** 3 + start + at] = Math.min(Math.max((densities[at]! + 1) / 2, 0), 1);
        await onProgress?.((index + (start + count) / side ** 3) / batch);
      }
    }
    return result;
  };

  async function encodeCells(cells: FloatTensor, signal: AbortSignal): Promise<Record<string, FloatTensor>> {
    const session = await latents.session(signal);
    const outputs = await session.run(
      { latent_sample: feed(requireSlot(session, 'latent_sample'), cells) },
      signal,
    );
    return { keys: toFloatTensor(outputs.keys!), values: toFloatTensor(outputs.values!) };
  }

  async function densitiesAt(
    at: FloatTensor,
    cells: Record<string, FloatTensor>,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const session = await points.session(signal);
    const outputs = await session.run(feedAll(session, { points: at, ...cells }), signal);
    return toFloatTensor(outputs.density!).data;
  }

  return {
    latentChannels,
    scale: 1,
    prepare: (signal) => latents.prepare(signal),
    encode: refuse,
    decode: refuse,
    shapes: { decode },
  };
}

/** Points of a grid of z, y and x, in this order, as [1, count, 3] with x first. */
function gridPoints(side: number, start: number, count: number): FloatTensor {
  const points = zeros([1, count, 3]);
  const coordinate = (index: number) => -BOUND + (2 * BOUND * index) / (side - 1);
  for (let at = 0; at < count; at++) {
    const cell = start + at;
    points.data[3 * at] = coordinate(cell % side);
    points.data[3 * at + 1] = coordinate(Math.floor(cell / side) % side);
    points.data[3 * at + 2] = coordinate(Math.floor(cell / side ** 2));
  }
  return points;
}
