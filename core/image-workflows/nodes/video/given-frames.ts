/** Frames that a model of videos gets: those of an image or a video in the size of the result. */
import { imageRaster, type Raster, rasterToImage, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { asFrames } from '../../values/single-frames.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { int, link } from '../kernel/inputs.ts';
import { output } from '../kernel/node-type.ts';

export interface VideoSize {
  width: number;
  height: number;
  /** Frames. */
  length: number;
}

/** The inputs `width`, `height`, `length` and `batch_size` of nodes of one family. */
export const videoInputs = (
  width: number,
  height: number,
  length: number,
  steps: { side: number; smallest?: number; frames: number; fewest?: number },
) => {
  const { side, smallest = side, frames, fewest = 1 } = steps;
  return {
    width: int({ default: width, min: smallest, max: 16384, step: side }),
    height: int({ default: height, min: smallest, max: 16384, step: side }),
    length: int({ default: length, min: fewest, max: 16384, step: frames }),
    batch_size: int({ default: 1, min: 1, max: 4096 }),
  };
};

export const bothPrompts = () => ({ positive: link('CONDITIONING'), negative: link('CONDITIONING') });
export const promptOutputs = [
  output('CONDITIONING', 'positive'),
  output('CONDITIONING', 'negative'),
  output('LATENT', 'latent'),
];

/** The first frames, or the last ones, cut to the proportions of the video. */
export function framesOf(
  image: FloatTensor,
  { width, height, length }: VideoSize,
  from: 'start' | 'end' = 'start',
): Raster {
  const raster = withChannels(imageRaster(image), 3);
  const size = raster.height * raster.width * 3;
  const count = Math.min(raster.batch, length);
  const first = from === 'start' ? 0 : raster.batch - count;
  const part = { ...raster, batch: count, data: raster.data.subarray(first * size, (first + count) * size) };
  const isFitted = raster.width === width && raster.height === height;
  return isFitted ? part : resize(part, width, height, 'bilinear', 'center');
}

/** A video of gray frames with these at its start and its end. */
export function inGrayVideo(
  { width, height, length }: VideoSize,
  start: Raster | undefined,
  end?: Raster,
): FloatTensor {
  const video = zeros([length, height, width, 3]);
  video.data.fill(0.5);
  if (start) video.data.set(start.data);
  if (end) video.data.set(end.data, (length - end.batch) * height * width * 3);
  return video;
}

/** [1, channels, frames, height, width] */
export async function encodeFrames(
  vae: VaeModel,
  frames: Raster | FloatTensor,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const latent = await vae.encode('shape' in frames ? frames : rasterToImage(frames), signal);
  return latent.shape.length === 4 ? asFrames(latent) : latent;
}

/** Replaces the first frames of some channels of [batch, channels, frames, height, width], which must have their size. */
export function withFirstFrames(video: FloatTensor, part: FloatTensor, firstChannel = 0): FloatTensor {
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = video.shape;
  const [, partChannels = 1, partFrames = 1, partHeight, partWidth] = part.shape;
  if (partHeight !== height || partWidth !== width || firstChannel + partChannels > channels)
    throw new TypeError(
      `the latent of the frames is [${part.shape.join(', ')}], and that of the video [${video.shape.join(', ')}]: use the autoencoder of the same model`,
    );
  const size = height * width;
  const data = video.data.slice();
  for (let index = 0; index < batch; index++)
    for (let channel = 0; channel < partChannels; channel++) {
      const from = channel * partFrames * size;
      const count = Math.min(partFrames, frames) * size;
      data.set(
        part.data.subarray(from, from + count),
        (index * channels + firstChannel + channel) * frames * size,
      );
    }
  return { shape: video.shape, data };
}
