import { describe, expect, it } from 'vitest';
import type { FloatTensor } from '../../values/tensor.ts';
import { mapSides, selectWhere, selfAttentionGuidance } from './self-attention-guidance.ts';

describe('height and width of the middle', () => {
  it.each([
    [64, 64, 64, [8, 8]],
    [96, 72, 9 * 12, [12, 9]],
    // Each level halves upwards: 9 -> 5 -> 3 -> 2.
    [9, 97, 2 * 13, [2, 13]],
    [8, 6, 12, [4, 3]],
    [8, 6, 48, [8, 6]],
    // None of the halves: as near to the latent's sides as can be.
    [64, 48, 16 * 12 + 18, [15, 14]],
    [10, 10, 7, [1, 7]],
  ])('%s x %s of %s places', (height, width, count, sides) => {
    expect(mapSides(count, height, width)).toEqual(sides);
  });
});

it('cells of places that are looked at more than others, of each picture its own', () => {
  const shape = [2, 2, 4, 4];
  const of = (value: number): FloatTensor => ({ shape, data: new Float32Array(64).fill(value) });
  const places = { shape: [2, 4], data: Float32Array.of(1.5, 1, 0.5, 1, 0, 0, 1, 3) };
  const { data } = selectWhere(places, of(1), of(0));
  const first = [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const second = [...first].reverse();
  expect([...data]).toEqual([...first, ...first, ...second, ...second]);
});

it('without a blur nothing is degraded, and the latent itself is asked about', async () => {
  const shape = [1, 1, 5, 5];
  const of = (value: number): FloatTensor => ({ shape, data: new Float32Array(25).fill(value) });
  const taken = [{ map: { shape: [1, 25], data: new Float32Array(25).fill(2) } }];
  const values = {
    x: of(3),
    uncond: of(2),
    cond: of(0),
    denoised: of(5),
    scale: 4,
    sigma: 1,
    captured: taken,
  };
  const asked: FloatTensor[] = [];
  const made = await selfAttentionGuidance(
    'map',
    0.5,
    0,
  )(values, async (prompt, x) => {
    expect(prompt).toBe('without');
    asked.push(x);
    return of(1);
  });
  expect(asked).toEqual([of(3)]);
  expect(made).toEqual(of(5.5));
});
