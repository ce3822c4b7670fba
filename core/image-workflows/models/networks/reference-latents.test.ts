import { describe, expect, test } from 'vitest';
import type { ReferencePlacement } from '../../values/network.ts';
import { referenceInputs, referencePositions } from './reference-latents.ts';

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

  test('index_timestep_zero: there, too. negative_index: in layers before the image', () => {
    expect(placed('index_timestep_zero')).toEqual(placed('index'));
    expect(placed('negative_index').map(([layer]) => layer)).toEqual([-1, -2, -3]);
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

test('networks that see references at one time only refuse another one', () => {
  const latents = [{ shape: [1, 1, 2, 2], data: new Float32Array(4) }];
  const references = { references: { latents, placement: 'index_timestep_zero' as const } };
  const noise = { shape: [], seed: 0n };
  const format = { channels: 1, scaleFactor: 1, shiftFactor: 0 };
  expect(() => referenceInputs(format)(references, noise)).toThrow(
    'choose the reference_latents_method index',
  );
  expect(referenceInputs(format, 'index', true)(references, noise)).toMatchObject(references);
});
