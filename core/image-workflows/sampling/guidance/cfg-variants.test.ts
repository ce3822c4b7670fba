import { describe, expect, it } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import type { ConditioningEntry } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { GuidanceValues } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { mahiro, renormCfg } from './cfg-variants.ts';
import { linearFrameScale, triangleFrameScale } from './frame-scales.ts';
import { freSca, lowFrequencies } from './fresca.ts';
import { predictor } from './predict.ts';
import { toRegions } from './regions.ts';

const of = (shape: number[], ...values: number[]): FloatTensor => ({
  shape,
  data: Float32Array.from(values),
});
const values = (
  cond: FloatTensor,
  uncond: FloatTensor,
  rest: Partial<GuidanceValues> = {},
): GuidanceValues => ({
  x: cond,
  sigma: 1,
  cond,
  uncond,
  scale: 4,
  ...rest,
});
const numbers = ({ data }: FloatTensor) => [...data].map((value) => Number(value.toFixed(5)));

describe('a guidance scale for each frame', () => {
  const [cond, uncond] = [of([5, 1, 1, 1], 1, 1, 1, 1, 1), of([5, 1, 1, 1], 0, 0, 0, 0, 0)];
  it('grows from the first frame to the last', () => {
    expect(numbers(linearFrameScale(1)(values(cond, uncond)))).toEqual([1, 1.75, 2.5, 3.25, 4]);
  });
  it('is largest in the middle frame', () => {
    expect(numbers(triangleFrameScale(1)(values(cond, uncond)))).toEqual([1, 2.5, 4, 2.5, 1]);
  });
});

describe('renormCfg', () => {
  // The guided value is 4 (3, 4) - 3 (0, 0) = (12, 16), with the norm 20. That of the prompt alone is 5.
  const [cond, uncond] = [of([1, 2, 1, 1], 3, 4), of([1, 2, 1, 1], 0, 0)];
  it.each([
    [100, 1, [3, 4]],
    [100, 2, [6, 8]],
    [100, 0, [12, 16]],
    [100, 5, [12, 16]],
    [0.5, 1, [3, 4]],
  ])('guides below the noise level %s and limits the norm ratio to %s', (below, maxRatio, expected) => {
    expect(numbers(renormCfg(below, maxRatio)(values(cond, uncond)))).toEqual(expected);
  });
});

it('mahiro mixes by the similarity to the prediction without the prompt', () => {
  const mixed = (cond: number, uncond: number) => {
    const predictions = values(of([1, 1, 1, 1], cond), of([1, 1, 1, 1], uncond), { scale: 2 });
    const denoised = of([1, 1, 1, 1], uncond + 2 * (cond - uncond));
    return numbers(mahiro({ ...predictions, denoised }))[0];
  };
  // Opposite signs give the scaled prediction of the prompt, 2. Equal signs give the guided value, 1.
  expect(mixed(1, -1)).toBe(2);
  expect(mixed(1, 1)).toBe(1);
});

describe('freSca', () => {
  /** The low frequencies by the definition of the discrete Fourier transform. */
  function directTransform({ shape, data }: FloatTensor, cutoff: number): number[] {
    const [height = 1, width = 1] = shape.slice(-2);
    const limit = (side: number) => Math.min(cutoff, Math.floor(side / 2));
    const result: number[] = [];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (let v = -limit(height); v < limit(height); v++)
          for (let u = -limit(width); u < limit(width); u++)
            for (let row = 0; row < height; row++)
              for (let column = 0; column < width; column++)
                sum +=
                  data[row * width + column]! *
                  Math.cos(2 * Math.PI * ((v * (y - row)) / height + (u * (x - column)) / width));
        result.push(sum / (height * width));
      }
    return result;
  }
  const plane = of([1, 1, 3, 4], ...Array.from({ length: 12 }, (_, i) => Math.sin(i * 1.7) + i / 10));

  it.each([1, 2, 20])('lowFrequencies keeps those below the cutoff %s', (cutoff) => {
    const expected = directTransform(plane, cutoff);
    for (const [i, value] of lowFrequencies(plane, cutoff).data.entries())
      expect(value).toBeCloseTo(expected[i]!, 5);
  });

  it('changes nothing when both scales are 1', () => {
    const predictions = values(plane, of([1, 1, 3, 4], ...new Array(12).fill(0.5)));
    for (const [i, value] of freSca(1, 1, 1)(predictions).cond.data.entries())
      expect(value).toBeCloseTo(plane.data[i]!, 5);
  });
});

it('a default prompt applies to the cells outside of the other masks', async () => {
  const entry = (value: number, options: ConditioningEntry['options']): ConditioningEntry => ({
    tensor: of([1, 1, 1], value),
    options,
  });
  const model = {
    sampling: { ...stableDiffusion, denoised: (_sigma: number, output: FloatTensor) => output },
    network: {
      predict: async (x: FloatTensor, _time: number, prompts: readonly ConditioningEntry[]) =>
        prompts.map(({ tensor }) => ({ shape: x.shape, data: x.data.map(() => tensor.data[0]!) })),
    },
  } as unknown as DiffusionModel;
  const shape = [1, 1, 1, 4];
  const mask = of([1, 1, 4], 1, 0.25, 0, 0);
  const prompts = [
    entry(9, { region: { isDefault: true } }),
    entry(1, { region: { mask, maskStrength: 1 } }),
  ];
  const regions = toRegions(prompts, shape, model);
  const [prediction] = await predictor(model, new AbortController().signal)(
    [regions],
    of(shape, 0, 0, 0, 0),
    1,
  );
  expect(numbers(prediction!)).toEqual([1, 7, 9, 9]);
});
