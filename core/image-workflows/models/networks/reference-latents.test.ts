import { describe, expect, test } from 'vitest';
import type { ReferencePlacement } from '../../values/network.ts';
import { referencePositions } from './reference-latents.ts';

describe('references beside a latent of 6 x 10 cells', () => {
  const sizes = [
    [4, 8],
    [8, 4],
    [5, 6],
  ] as const;
  const placed = (placing: ReferencePlacement, height = 6) =>
    referencePositions(sizes, placing, [height, 10]).map(({ layer, top, left }) => [layer, top, left]);

  test('offset: below or to the right, whichever leaves the whole shorter', () => {
    // The first is at the corner. The second would reach down to 12 or right to 12: below. The third, down to 17 or right to 14.
    expect(placed('offset')).toEqual([
      [1, 0, 0],
      [1, 2, 0],
      [1, 0, 4],
    ]);
  });

  test('index: a layer each', () => {
    expect(placed('index')).toEqual([
      [1, 0, 0],
      [2, 0, 0],
      [3, 0, 0],
    ]);
  });

  test("uxo: each beyond the corner of the last, beginning with the picture's own", () => {
    expect(placed('uxo')).toEqual([
      [0, 3, 5],
      [0, 5, 9],
      [0, 9, 11],
    ]);
    // A latent of an odd height has a row of tokens more.
    expect(placed('uxo', 7)[0]).toEqual([0, 4, 5]);
  });
});
