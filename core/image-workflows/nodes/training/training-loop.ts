/** The steps of a training: images, noise and noise levels are drawn as the sampler of the real node draws them. */
import type { LoraTrainer } from '../../models/training/lora-trainer.ts';
import type { OptimizerStep } from '../../models/training/optimizers.ts';
import { toRegions } from '../../sampling/guidance/regions.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { Conditioning, ConditioningEntry } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import { elementCount, type FloatTensor, full } from '../../values/tensor.ts';

/** Seeds of consecutive steps differ by this. */
const SEED_STRIDE = 1000n;

export interface TrainingLoop {
  model: DiffusionModel;
  trainer: LoraTrainer;
  step: OptimizerStep;
  /** Scaled latents of one image each, [1, channels, height, width]. */
  latents: readonly FloatTensor[];
  /** One for each image. */
  prompts: Conditioning;
  batchSize: number;
  /** Runs before each change of the numbers. */
  accumulated: number;
  steps: number;
  seed: bigint;
  /** Called after each run with the number of runs so far, and of all. */
  onRun(done: number, all: number): Promise<void>;
}

/** Resolves to the loss of each run. Rejects when a loss is not finite, and with errors of the trainer and `onRun`. */
export async function trainingLosses(loop: TrainingLoop): Promise<number[]> {
  const { latents, batchSize, accumulated, steps, seed, trainer } = loop;
  const [, ...sides] = latents[0]!.shape;
  let random = new TorchGenerator(seed);
  // The real node draws noise for all images first, and does not use it.
  random.normal([latents.length, ...sides]);
  const all = steps * accumulated;
  const losses: number[] = [];
  for (let run = 0; run < all; run++) {
    const chosen = random.permutation(latents.length).slice(0, batchSize);
    const drawn = drawNoise(latents, chosen, seed + BigInt(run) * SEED_STRIDE);
    random = drawn.random;
    let loss = 0;
    for (const { image, noise, percent } of drawn.images)
      loss += await accumulate(loop, image, noise, percent, chosen.length);
    losses.push(loss / chosen.length);
    if (!Number.isFinite(loss))
      throw new Error(
        `the loss of step ${run + 1} is ${loss}: the training diverged, use a lower learning_rate`,
      );
    if ((run + 1) % accumulated === 0) {
      const { tensors } = trainer.parameters!;
      loop.step(tensors.values());
      for (const { gradient } of tensors.values()) gradient.fill(0);
    }
    await loop.onRun(run + 1, all);
  }
  return losses;
}

/** Noise and a noise level for each image of a run: for all at once where the images have one size. */
function drawNoise(latents: readonly FloatTensor[], chosen: readonly number[], seed: bigint) {
  let random = new TorchGenerator(seed);
  if (isUniform(latents)) {
    const [, ...sides] = latents[0]!.shape;
    const noise = random.normal([chosen.length, ...sides]);
    const images = chosen.map((image, at) => ({
      ...{ image, noise: imageOf(noise, at) },
      percent: random.uniform(),
    }));
    return { random, images };
  }
  const images = chosen.map((image) => {
    random = new TorchGenerator(seed);
    return { image, noise: random.normal(latents[image]!.shape), percent: random.uniform() };
  });
  return { random, images };
}

const isUniform = (latents: readonly FloatTensor[]): boolean =>
  latents.every(({ shape }) => shape.join() === latents[0]!.shape.join());

/** Adds the gradients for one image with noise. Resolves to its loss. */
async function accumulate(
  { model, trainer, latents, prompts, seed, accumulated }: TrainingLoop,
  image: number,
  noise: FloatTensor,
  percent: number,
  count: number,
): Promise<number> {
  const { sampling } = model;
  const latent = latents[image]!;
  const sigma = sampling.sigmaAt(percent);
  const noised = sampling.noised(sigma, noise, latent, false);
  const prompt = promptOf(prompts[image]!, latent, model, seed, sigma);
  const input = { x: sampling.input(sigma, noised), timestep: sampling.timestepOf(sigma), prompt };
  return trainer.accumulate(input, goalOf(model, sigma, noised, latent), 1 / (count * accumulated));
}

/** The clean latent is a x + b F for the output F of the network. So the loss compares b F with the target minus a x. */
function goalOf({ sampling }: DiffusionModel, sigma: number, x: FloatTensor, latent: FloatTensor) {
  const unit = { shape: [1], data: Float32Array.of(1) };
  const none = { shape: [1], data: Float32Array.of(0) };
  const scale = sampling.denoised(sigma, unit, none).data[0]!;
  const rest = sampling.denoised(sigma, full(x.shape, 0), x);
  return {
    scale,
    target: { shape: x.shape, data: latent.data.map((value, at) => value - rest.data[at]!) },
  };
}

/** Options of prompts that change the network itself, or the area in which the prompt counts. */
const REFUSED = ['hooks', 'gligen', 'control', 'region'] as const;

function promptOf(
  entry: ConditioningEntry,
  latent: FloatTensor,
  model: DiffusionModel,
  seed: bigint,
  sigma: number,
): NetworkPrompt {
  for (const option of REFUSED)
    if (entry.options[option])
      throw new Error(
        `a prompt with ${option} cannot be trained with: connect the prompt of the text encoder`,
      );
  const [region] = toRegions([entry], latent.shape, model, { latent, mask: undefined, seed });
  const { concat, imageInputs } = region!;
  return { ...region!.entry, sigma, ...imageInputs, ...(concat && { concat }) };
}

/** One image of a batch, [1, channels, height, width]. */
export function imageOf({ shape, data }: FloatTensor, index: number): FloatTensor {
  const sides = shape.slice(1);
  const size = elementCount(sides);
  return { shape: [1, ...sides], data: data.slice(index * size, (index + 1) * size) };
}
