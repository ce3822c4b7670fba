/** The video that a VACE network follows: its parts that stay, those that change, and the mask of both. */
import { emptyRaster, imageRaster, maskRaster, type Raster, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { VideoSize } from './given-frames.ts';

const GRAY = 0.5;

interface ChangedVideo {
  /** The video where the mask is 0, and gray elsewhere. */
  unchanged: Raster;
  /** The video where the mask is 1, and gray elsewhere. */
  changed: Raster;
  /** One channel for each frame. */
  mask: Raster;
}

/** Frames that a video lacks are gray, and those that a mask lacks change everywhere. */
export function changedVideo(
  size: VideoSize,
  video: FloatTensor | undefined,
  masks: FloatTensor | undefined,
): ChangedVideo {
  const frames = toLength(size, video && withChannels(imageRaster(video), 3), 3, GRAY);
  const mask = toLength(size, masks && maskRaster(masks), 1, 1);
  const part = (share: (value: number) => number): Raster => ({
    ...frames,
    data: frames.data.map((color, at) => (color - GRAY) * share(mask.data[Math.floor(at / 3)]!) + GRAY),
  });
  return { unchanged: part((value) => 1 - value), changed: part((value) => value), mask };
}

function toLength(
  { width, height, length }: VideoSize,
  raster: Raster | undefined,
  channels: number,
  fill: number,
): Raster {
  const result = emptyRaster(length, height, width, channels, fill);
  if (!raster) return result;
  const count = Math.min(raster.batch, length);
  const size = raster.width * raster.height * channels;
  const part = { ...raster, batch: count, data: raster.data.subarray(0, count * size) };
  const isFitted = raster.width === width && raster.height === height;
  result.data.set((isFitted ? part : resize(part, width, height, 'bilinear', 'center')).data);
  return result;
}

/**
 * The pixels of each cell as channels, [1, cell², frames, height, width]. Frames of the latent get the mask of the frame
 * nearest to their middle.
 */
export function pixelMask(mask: Raster, { length }: VideoSize, cell: number, frames: number): FloatTensor {
  const [rows, columns] = [Math.floor(mask.height / cell), Math.floor(mask.width / cell)];
  const result = zeros([1, cell * cell, frames, rows, columns]);
  let at = 0;
  for (let pixel = 0; pixel < cell * cell; pixel++)
    for (let frame = 0; frame < frames; frame++) {
      const nearest = Math.min(Math.floor(((frame + 0.5) * length) / frames), length - 1);
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
          const y = row * cell + Math.floor(pixel / cell);
          const x = column * cell + (pixel % cell);
          result.data[at++] = mask.data[(nearest * mask.height + y) * mask.width + x]!;
        }
    }
  return result;
}
