import { expect, it } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { conditioningNodes } from './conditioning.ts';

async function run(name: string, values: Record<string, unknown>): Promise<Conditioning> {
  const result = await conditioningNodes.find((type) => type.name === name)!.run(values, {} as NodeContext);
  return (result as [Conditioning])[0];
}
/** A prompt with tokens of two numbers. */
const tokens = (...data: number[]): FloatTensor => tensorOf([1, data.length / 2, 2], Float32Array.from(data));
const prompt = (tensor: FloatTensor, ...pooled: number[]): Conditioning => [
  {
    tensor,
    options: pooled.length > 0 ? { pooled: tensorOf([1, pooled.length], Float32Array.from(pooled)) } : {},
  },
];
const wide = prompt(tensorOf([1, 1, 3], new Float32Array(3)));

it('ConditioningCombine keeps both prompts', async () => {
  const [first, second] = [prompt(tokens(1, 2)), prompt(tokens(3, 4))];
  const combined = await run('ConditioningCombine', { conditioning_1: first, conditioning_2: second });
  expect(combined).toEqual([first[0], second[0]]);
});

it('ConditioningConcat appends tokens, and keeps the pooled embedding of the first prompt', async () => {
  const values = {
    conditioning_to: prompt(tokens(1, 2), 7),
    conditioning_from: prompt(tokens(3, 4, 5, 6), 8),
  };
  const [joined] = await run('ConditioningConcat', values);
  expect(joined!.tensor.shape).toEqual([1, 3, 2]);
  expect([...joined!.tensor.data]).toEqual([1, 2, 3, 4, 5, 6]);
  expect([...joined!.options.pooled!.data]).toEqual([7]);
});

it('ConditioningAverage interpolates tokens and pooled embeddings, with zeros for missing tokens', async () => {
  const [mixed] = await run('ConditioningAverage', {
    conditioning_to: prompt(tokens(4, 4, 4, 4), 4),
    conditioning_from: prompt(tokens(8, 0), 8),
    conditioning_to_strength: 0.75,
  });
  expect([...mixed!.tensor.data]).toEqual([5, 3, 3, 3]);
  expect([...mixed!.options.pooled!.data]).toEqual([5]);
});

it.each(['ConditioningConcat', 'ConditioningAverage'])(
  '%s refuses prompts of different text encoders',
  async (name) => {
    const values = {
      conditioning_to: prompt(tokens(1, 2)),
      conditioning_from: wide,
      conditioning_to_strength: 1,
    };
    await expect(run(name, values)).rejects.toThrow('their widths are 2 and 3');
  },
);

it('an area in pixels is in latent cells of 8 x 8, and later options keep it', async () => {
  const area = await run('ConditioningSetArea', {
    conditioning: prompt(tokens(1, 2)),
    width: 64,
    height: 71,
    x: 8,
    y: 16,
    strength: 0.5,
  });
  const ranged = await run('ConditioningSetTimestepRange', { conditioning: area, start: 0.1, end: 0.9 });
  expect(ranged[0]!.options).toMatchObject({
    region: { area: { unit: 'latent', width: 8, height: 8, x: 1, y: 2 }, strength: 0.5 },
    schedule: { startPercent: 0.1, endPercent: 0.9 },
  });
});

it('ConditioningSetMask adds a batch to a mask [height, width]', async () => {
  const mask = tensorOf([2, 3], new Float32Array(6));
  const values = { conditioning: prompt(tokens(1, 2)), mask, strength: 0.5, set_cond_area: 'mask bounds' };
  const [masked] = await run('ConditioningSetMask', values);
  expect(masked!.options.region).toMatchObject({
    mask: { shape: [1, 2, 3] },
    areaFromMask: true,
    maskStrength: 0.5,
  });
});

it('ConditioningZeroOut sets tokens and pooled embedding to zero, and leaves its input', async () => {
  const conditioning = prompt(tokens(1, 2), 3);
  const [zeroed] = await run('ConditioningZeroOut', { conditioning });
  expect([...zeroed!.tensor.data, ...zeroed!.options.pooled!.data]).toEqual([0, 0, 0]);
  expect([...conditioning[0]!.tensor.data]).toEqual([1, 2]);
});

it('FluxDisableGuidance removes the guidance alone', async () => {
  const guided = await run('FluxGuidance', { conditioning: prompt(tokens(1, 2), 3), guidance: 3.5 });
  expect(guided[0]!.options.guidance).toBe(3.5);
  const [plain] = await run('FluxDisableGuidance', { conditioning: guided });
  expect(Object.keys(plain!.options)).toEqual(['pooled']);
});
