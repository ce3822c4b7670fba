/** Parts of videos along their frames. */
import { concatAlong } from './batches.ts';
import { type FloatTensor, full } from './tensor.ts';

/** The frames [start, end) of [batch, channels, frames, height, width]. */
export function framesFrom({ shape, data }: FloatTensor, start: number, end: number): FloatTensor {
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = shape;
  const size = height * width;
  const result = full([batch, channels, end - start, height, width], 0);
  for (let plane = 0; plane < batch * channels; plane++)
    result.data.set(
      data.subarray((plane * frames + start) * size, (plane * frames + end) * size),
      plane * (end - start) * size,
    );
  return result;
}

/** The video with other frames from `start` on. */
export function replaceFrames(video: FloatTensor, part: FloatTensor, start: number): FloatTensor {
  const end = start + part.shape[2]!;
  const before = concatAlong(2, framesFrom(video, 0, start), part);
  return concatAlong(2, before, framesFrom(video, end, video.shape[2]!));
}
