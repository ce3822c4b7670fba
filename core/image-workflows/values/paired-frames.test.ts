import { expect, test } from 'vitest';
import { scaleLatent, unscaleLatent } from './latent-scaling.ts';
import { pairFrames, unpairFrames } from './paired-frames.ts';

test('frames in a row are channels, the first one twice', () => {
  // Two channels of three frames with one cell.
  const video = { shape: [1, 2, 3, 1, 1], data: Float32Array.of(1, 2, 3, 11, 12, 13) };
  const pairs = pairFrames(video);
  expect(pairs.shape).toEqual([1, 4, 2, 1, 1]);
  expect([...pairs.data]).toEqual([1, 2, 11, 12, 1, 3, 11, 13]);
  expect(unpairFrames(pairs)).toEqual(video);
});

test('an image is both frames of a pair', () => {
  const image = { shape: [2, 1, 1, 1, 2], data: Float32Array.of(1, 2, 3, 4) };
  expect(pairFrames(image)).toEqual({
    shape: [2, 2, 1, 1, 2],
    data: Float32Array.of(1, 2, 1, 2, 3, 4, 3, 4),
  });
  const format = { channels: 2, scaleFactor: 2, shiftFactor: 0, isVideo: true, pairsFrames: true } as const;
  expect([...scaleLatent(image, format).data]).toEqual([2, 4, 2, 4, 6, 8, 6, 8]);
  expect(unscaleLatent(scaleLatent(image, format), format)).toEqual(image);
});
