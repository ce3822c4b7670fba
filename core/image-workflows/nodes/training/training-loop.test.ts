/** The images, noise and noise levels of a training. */
import { expect, test } from 'vitest';
import type { LoraTrainer } from '../../models/training/lora-trainer.ts';
import type { TrainedTensor } from '../../models/training/optimizers.ts';
import {
  sigmasOfBetas,
  stableDiffusionBetas,
  tabulatedLevels,
} from '../../sampling/model-sampling/discrete.ts';
import { noisePrediction } from '../../sampling/model-sampling/prediction.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { trainingLosses } from './training-loop.ts';

const sampling = { ...noisePrediction(), ...tabulatedLevels(sigmasOfBetas(stableDiffusionBetas)) };
const model = { sampling } as unknown as DiffusionModel;
const tensor: TrainedTensor = { shape: [1], values: Float32Array.of(0), gradient: Float32Array.of(0) };

/** Runs a training whose trainer records its inputs. The loss of an image is the length of its prompt. */
async function record(latents: FloatTensor[], options: Partial<Parameters<typeof trainingLosses>[0]> = {}) {
  const calls: { shape: readonly number[]; timestep: number; share: number; x: number }[] = [];
  const stepped: number[] = [];
  const trainer = {
    parameters: { tensors: new Map([['one', tensor]]) },
    async accumulate(
      { x, timestep, prompt }: Parameters<LoraTrainer['accumulate']>[0],
      _: unknown,
      share: number,
    ) {
      calls.push({ shape: x.shape, timestep, share, x: x.data[0]! });
      tensor.gradient[0]! += share;
      return prompt.tensor.shape[1]!;
    },
  } as unknown as LoraTrainer;
  const losses = await trainingLosses({
    ...{ model, trainer, latents, batchSize: 2, accumulated: 1, steps: 2, seed: 7n },
    prompts: latents.map((_, index) => ({ tensor: full([1, index + 1, 2], 0), options: {} })),
    step: () => void stepped.push(tensor.gradient[0]!),
    onRun: async () => {},
    ...options,
  });
  return { calls, losses, stepped };
}

test('draws images, then noise for all, then noise levels from one generator', async () => {
  const latents = Array.from({ length: 3 }, () => full([1, 4, 2, 2], 0));
  const { calls, losses } = await record(latents);
  let random = new TorchGenerator(7n);
  random.normal([3, 4, 2, 2]);
  const expected: number[] = [];
  for (const seed of [7n, 1007n]) {
    const chosen = random.permutation(3).slice(0, 2);
    expected.push((chosen[0]! + chosen[1]! + 2) / 2);
    random = new TorchGenerator(seed);
    const noise = random.normal([2, 4, 2, 2]);
    for (const at of [0, 1]) {
      const sigma = sampling.sigmaAt(random.uniform());
      const call = calls.shift()!;
      expect(call.timestep).toBe(sampling.timestepOf(sigma));
      expect(call.x).toBeCloseTo((noise.data[16 * at]! * sigma) / Math.hypot(sigma, 1), 5);
    }
  }
  expect(losses).toEqual(expected);
});

test('images of several sizes have noise of one seed each', async () => {
  const { calls } = await record([full([1, 4, 2, 2], 0), full([1, 4, 2, 4], 0)], { steps: 1 });
  expect(calls.map(({ shape }) => shape.join()).sort()).toEqual(['1,4,2,2', '1,4,2,4']);
  expect(calls[0]!.timestep).not.toBe(calls[1]!.timestep);
});

test('adds the mean gradient of accumulated runs, and then begins anew', async () => {
  const { stepped, losses } = await record([full([1, 4, 2, 2], 0)], { accumulated: 4 });
  expect(stepped).toEqual([1, 1]);
  expect(tensor.gradient[0]).toBe(0);
  expect(losses).toHaveLength(8);
});

test('ends with an error of the caller, and when the loss is not finite', async () => {
  const onRun = async (done: number) => {
    if (done === 2) throw new Error('interrupted');
  };
  await expect(record([full([1, 4, 2, 2], 0)], { onRun })).rejects.toThrow('interrupted');
  const trainer = { accumulate: async () => Number.NaN } as unknown as LoraTrainer;
  await expect(record([full([1, 4, 2, 2], 0)], { trainer })).rejects.toThrow('the loss of step 1 is NaN');
});
