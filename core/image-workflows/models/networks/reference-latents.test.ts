import { describe, expect, test } from 'vitest';
import type { ReferencePlacement } from '../../values/network.ts';
import { referencePositions } from './reference-latents.ts';

describe('reference positions for a latent of 6 x 10 cells', () => {
  const sizes = [
    [4, 8],
    [8, 4],
    [5, 6],
  ] as const;
  const placed = (placement: ReferencePlacement, height = 6) =>
    referencePositions(sizes, placement, [height, 10]).map(({ layer, top, left }) => [layer, top, left]);

  test('offset: below or to the right, where the bounding box grows less', () => {
    // The second would reach down to 12 or right to 12, so it goes below. The third would reach down to 17 or right to 14.
    expect(placed('offset')).toEqual([
      [1, 0, 0],
      [1, 2, 0],
      [1, 0, 4],
    ]);
  });

  test('index: each in a layer of its own', () => {
    expect(placed('index')).toEqual([
      [1, 0, 0],
      [2, 0, 0],
      [3, 0, 0],
    ]);
  });

  test('uxo: each beyond the corner of the last, the first beyond that of the image', () => {
    expect(placed('uxo')).toEqual([
      [0, 3, 5],
      [0, 5, 9],
      [0, 9, 11],
    ]);
    // An odd height is rounded up to whole tokens.
    expect(placed('uxo', 7)[0]).toEqual([0, 4, 5]);
  });
});
