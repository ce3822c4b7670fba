import { describe, expect, it } from 'vitest';
import type { FloatTensor } from '../../values/tensor.ts';
import { mapSides, selectWhere, selfAttentionGuidance } from './self-attention-guidance.ts';

describe('mapSides', () => {
  it.each([
    [64, 64, 64, [8, 8]],
    [96, 72, 9 * 12, [12, 9]],
    // Each level halves the sides and rounds up: 9 -> 5 -> 3 -> 2.
    [9, 97, 2 * 13, [2, 13]],
    [8, 6, 12, [4, 3]],
    [8, 6, 48, [8, 6]],
    // No level has this many positions: the sides are the nearest to the latent's aspect ratio.
    [64, 48, 16 * 12 + 18, [15, 14]],
    [10, 10, 7, [1, 7]],
  ])('factors the latent sides %s x %s for %s positions', (height, width, count, sides) => {
    expect(mapSides(count, height, width)).toEqual(sides);
  });
});

it('selectWhere takes the cells with a map value above 1, for each image', () => {
  const shape = [2, 2, 4, 4];
  const of = (value: number): FloatTensor => ({ shape, data: new Float32Array(64).fill(value) });
  const attention = { shape: [2, 4], data: Float32Array.of(1.5, 1, 0.5, 1, 0, 0, 1, 3) };
  const { data } = selectWhere(attention, of(1), of(0));
  const first = [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const second = [...first].reverse();
  expect([...data]).toEqual([...first, ...first, ...second, ...second]);
});

it('without a blur the latent is not degraded', async () => {
  const shape = [1, 1, 5, 5];
  const of = (value: number): FloatTensor => ({ shape, data: new Float32Array(25).fill(value) });
  const captured = [{ map: { shape: [1, 25], data: new Float32Array(25).fill(2) } }];
  const values = {
    x: of(3),
    uncond: of(2),
    cond: of(0),
    denoised: of(5),
    scale: 4,
    sigma: 1,
    captured,
  };
  const inputs: FloatTensor[] = [];
  const result = await selfAttentionGuidance(
    'map',
    0.5,
    0,
  )(values, async (prompt, x) => {
    expect(prompt).toBe('uncond');
    inputs.push(x);
    return of(1);
  });
  expect(inputs).toEqual([of(3)]);
  expect(result).toEqual(of(5.5));
});
