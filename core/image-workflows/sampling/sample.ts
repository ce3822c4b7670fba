import { planesToRaster, rasterToPlanes, repeatToBatch } from '../images/rasters.ts';
import { resize } from '../images/resize/resize.ts';
import type { DiffusionModel } from '../values/diffusion-model.ts';
import type { Guider } from '../values/guider.ts';
import type { Latent, LatentFormat, NoiseSource } from '../values/latent.ts';
import type { SamplerFunction } from '../values/sampler.ts';
import { type FloatTensor, zeros } from '../values/tensor.ts';
import { withGuidedCache } from './guidance/step-cache.ts';
import { seededNoise } from './initial-noise.ts';
import { samplerRun } from './sampler-run.ts';
import { combine, map } from './tensor-math.ts';

export interface SamplingStep {
  /** Done so far, and in all. */
  value: number;
  max: number;
  /** The clean latent so far, unscaled. */
  denoised(): FloatTensor;
}

export interface SampleOptions {
  guider: Guider;
  noise: NoiseSource;
  sampler: SamplerFunction;
  /** Falling; nothing to do when empty. */
  sigmas: Float32Array;
  latent: Latent;
  signal: AbortSignal;
  /** After each step; may throw to stop. */
  onStep?(step: SamplingStep): Promise<void>;
}

/** Samples (unscaled) and the last clean latent that the model saw. Rejects with the signal's reason, or the engine's error. */
export async function sample(
  options: SampleOptions,
): Promise<{ samples: FloatTensor; denoised: FloatTensor }> {
  const { guider, sampler, sigmas, signal } = options;
  const { model } = guider;
  const latent = { ...options.latent, samples: withChannels(options.latent.samples, model.latent.channels) };
  signal.throwIfAborted();
  if (sigmas.length === 0) return { samples: latent.samples, denoised: latent.samples };
  const { sampling } = model;
  const start = scaled(latent.samples, model.latent);
  const noise = options.noise.generate(latent);
  const { shape } = start;
  const mask = latent.noiseMask && spread(latent.noiseMask, shape);
  const keptNoise = mask && (sampler.ownMaskNoise ? seededNoise(options.noise.seed + 1n, shape) : noise);
  const opened = withGuidedCache(
    guider.open(shape, signal, { latent: start, mask: latent.noiseMask, seed: options.noise.seed }),
    model,
  );

  const masked = (sigma: number) => mask && (model.maskAt ? model.maskAt(mask, sigma, sigmas) : mask);
  /** What is kept is held at the noise level of the moment, so that the model sees it in its place. */
  const entering = (x: FloatTensor, sigma: number, current: FloatTensor | undefined) =>
    current && keptNoise ? blend(current, x, sampling.noised(sigma, keptNoise, start, false)) : x;
  const leaving = (denoised: FloatTensor, current: FloatTensor | undefined) =>
    current ? blend(current, denoised, start) : denoised;

  const max = sigmas.length - 1;
  let last: FloatTensor | undefined;
  const run = samplerRun({
    sigmas,
    sampling,
    seed: options.noise.seed,
    shape,
    async denoise(x, sigma) {
      signal.throwIfAborted();
      const current = masked(sigma);
      return leaving(await opened.denoise(entering(x, sigma, current), sigma), current);
    },
    async denoiseBoth(x, sigma) {
      signal.throwIfAborted();
      const current = masked(sigma);
      const { denoised, uncond } = await opened.denoiseBoth(entering(x, sigma, current), sigma);
      return { denoised: leaving(denoised, current), uncond };
    },
    async step(index, _x, denoised) {
      last = denoised;
      await options.onStep?.({
        value: index + 1,
        max: Math.max(max, index + 1),
        denoised: () => unscaled(denoised, model.latent),
      });
      signal.throwIfAborted();
    },
  });
  const highest = sigmas[0]! >= sampling.sigmaMax * (1 - 1e-5);
  const noised = sampling.noised(sigmas[0]!, noise, start, highest);
  const end = sampling.finished(sigmas[max]!, max > 0 ? await sampler.sampler(noised, run) : noised);
  const samples = unscaled(end, model.latent);
  return { samples, denoised: last ? unscaled(last, model.latent) : samples };
}

const isEmpty = ({ data }: FloatTensor): boolean => data.every((value) => value === 0);

/** An empty latent fits every model: it gets as many channels as are needed. Throws for a filled one that does not fit. */
function withChannels(samples: FloatTensor, channels: number): FloatTensor {
  const [batch = 1, has = channels, ...rest] = samples.shape;
  if (has === channels) return samples;
  if (isEmpty(samples)) return zeros([batch, channels, ...rest]);
  throw new TypeError(`this model works on latents of ${channels} channels; the one given has ${has}`);
}

/** An empty latent stays empty: it stands for no picture, not for a grey one. */
function scaled(samples: FloatTensor, { scaleFactor, shiftFactor }: LatentFormat): FloatTensor {
  return isEmpty(samples) ? samples : map((value) => (value - shiftFactor) * scaleFactor, samples);
}

const unscaled = (samples: FloatTensor, { scaleFactor, shiftFactor }: LatentFormat): FloatTensor =>
  map((value) => value / scaleFactor + shiftFactor, samples);

/** A mask of any size for every number of [batch, channels, height, width]. */
function spread(mask: FloatTensor, shape: readonly number[]): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = shape;
  const [maskHeight = 1, maskWidth = 1] = mask.shape.slice(-2);
  const count = mask.data.length / (maskHeight * maskWidth);
  const planes = planesToRaster({ shape: [count, 1, maskHeight, maskWidth], data: mask.data });
  const fitted = repeatToBatch(resize(planes, width, height, 'bilinear'), batch);
  const one = rasterToPlanes(fitted).data;
  const all = zeros(shape);
  for (let plane = 0; plane < batch * channels; plane++) {
    const from = Math.floor(plane / channels) * height * width;
    all.data.set(one.subarray(from, from + height * width), plane * height * width);
  }
  return all;
}

/** mask a + (1 - mask) b */
function blend(mask: FloatTensor, a: FloatTensor, b: FloatTensor): FloatTensor {
  const difference = combine([1, a], [-1, b]);
  for (let i = 0; i < difference.data.length; i++)
    difference.data[i] = b.data[i]! + mask.data[i]! * difference.data[i]!;
  return difference;
}

/** Samples with the noise that lies between the first and the last of the levels; one level alone is taken whole. */
export function addNoise(
  model: DiffusionModel,
  noise: NoiseSource,
  sigmas: Float32Array,
  latent: Latent,
): FloatTensor {
  if (sigmas.length === 0) return latent.samples;
  const start = scaled(latent.samples, model.latent);
  const amount = sigmas.length > 1 ? Math.abs(sigmas[0]! - sigmas.at(-1)!) : sigmas[0]!;
  const noised = model.sampling.noised(amount, noise.generate(latent), start, false);
  return unscaled(
    map((value) => (Number.isFinite(value) ? value : 0), noised),
    model.latent,
  );
}
