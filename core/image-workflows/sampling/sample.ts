/** Runs a sampler on a latent. */

import { broadcastMask } from '../images/noise-mask.ts';
import type { DiffusionModel } from '../values/diffusion-model.ts';
import type { GuidedModel, Guider } from '../values/guider.ts';
import type { Latent, LatentFormat, NoiseSource } from '../values/latent.ts';
import { scaleLatent, unscaleLatent } from '../values/latent-scaling.ts';
import type { SamplerFunction } from '../values/sampler.ts';
import { asFrames, withoutFrames } from '../values/single-frames.ts';
import { type FloatTensor, zeros } from '../values/tensor.ts';
import { withGuidedCache } from './guidance/step-cache.ts';
import { seededNoise } from './initial-noise.ts';
import { samplerRun } from './sampler-run.ts';
import { combine, map } from './tensor-math.ts';

export interface SamplingStep {
  /** The number of finished steps, and of all steps. */
  value: number;
  max: number;
  /** The current clean latent, unscaled. */
  denoised(): FloatTensor;
}

export interface SampleOptions {
  guider: Guider;
  noise: NoiseSource;
  sampler: SamplerFunction;
  /** In descending order. Empty: the latent is returned unchanged. */
  sigmas: Float32Array;
  latent: Latent;
  signal: AbortSignal;
  /** Called after each step. A rejection ends the sampling. */
  onStep?(step: SamplingStep): Promise<void>;
}

interface Sampled {
  samples: FloatTensor;
  denoised: FloatTensor;
}

/**
 * Resolves to the resulting samples and the last clean latent, both unscaled. Models of images sample videos of one frame
 * as images, and models of videos sample images as videos of one frame.
 * Rejects with the signal's reason or the engine's error.
 */
export async function sample(options: SampleOptions): Promise<Sampled> {
  const { latent } = options;
  const { samples: input } = latent;
  const { isVideo, hasLayers } = options.guider.model.latent;
  if (isVideo)
    return sampleLatent(
      input.shape.length === 4 ? { ...options, latent: { ...latent, samples: asFrames(input) } } : options,
    );
  const image = withoutFrames(input);
  if (image.shape.length === 5 && !hasLayers)
    throw new TypeError(
      `this model makes images, and the latent is a video of ${image.shape[2]} frames: use a length of 1`,
    );
  if (image.shape.length === input.shape.length) return sampleLatent(options);
  const { samples, denoised } = await sampleLatent({ ...options, latent: { ...latent, samples: image } });
  return { samples: asFrames(samples), denoised: asFrames(denoised) };
}

async function sampleLatent(options: SampleOptions): Promise<Sampled> {
  const { guider, sampler, sigmas, noise, signal } = options;
  const { model } = guider;
  const { sampling } = model;
  const samples = fitChannels(options.latent.samples, model.latent.channels);
  const latent = { ...options.latent, samples };
  signal.throwIfAborted();
  if (sigmas.length === 0) return { samples, denoised: samples };
  const cleanLatent = scaled(samples, model.latent);
  const { shape } = cleanLatent;
  const initialNoise = noise.generate(latent);
  const opened = withGuidedCache(
    guider.open(shape, signal, { latent: cleanLatent, mask: latent.noiseMask, seed: noise.seed, sigmas }),
    model,
  );
  const masked = withNoiseMask(opened, options, cleanLatent, initialNoise);
  const max = sigmas.length - 1;
  let last: FloatTensor | undefined;
  const run = samplerRun({
    sigmas,
    sampling,
    seed: noise.seed,
    shape,
    async denoise(x, sigma) {
      signal.throwIfAborted();
      return masked.denoise(x, sigma);
    },
    async denoiseBoth(x, sigma) {
      signal.throwIfAborted();
      return masked.denoiseBoth(x, sigma);
    },
    async step(index, _x, denoised) {
      last = denoised;
      await options.onStep?.({
        value: index + 1,
        max: Math.max(max, index + 1),
        denoised: () => unscaleLatent(denoised, model.latent),
      });
      signal.throwIfAborted();
    },
  });
  const isHighest = sigmas[0]! >= sampling.sigmaMax * (1 - 1e-5);
  const x = sampling.noised(sigmas[0]!, initialNoise, cleanLatent, isHighest);
  const result = sampling.finished(sigmas[max]!, max > 0 ? await sampler.sampler(x, run) : x);
  const resultSamples = unscaleLatent(result, model.latent);
  return { samples: resultSamples, denoised: last ? unscaleLatent(last, model.latent) : resultSamples };
}

/**
 * Restricts a model to the latent's noise mask. Outside of the mask, the model sees the clean latent, usually with noise
 * of the current level, and the result is the clean latent.
 */
function withNoiseMask(
  opened: GuidedModel,
  { guider: { model }, sampler, sigmas, noise, latent }: SampleOptions,
  cleanLatent: FloatTensor,
  initialNoise: FloatTensor,
): GuidedModel {
  if (!latent.noiseMask) return opened;
  const { shape } = cleanLatent;
  const mask = broadcastMask(latent.noiseMask, shape);
  const outerNoise = sampler.ownMaskNoise ? seededNoise(noise.seed + 1n, shape) : initialNoise;
  const maskAt = (sigma: number) => (model.maskAt ? model.maskAt(mask, sigma, sigmas) : mask);
  const maskInput = (x: FloatTensor, sigma: number, current: FloatTensor) =>
    blend(
      current,
      x,
      model.cleanLatentAt?.(cleanLatent, sigma) ??
        model.sampling.noised(sigma, outerNoise, cleanLatent, false),
    );
  return {
    async denoise(x, sigma) {
      const current = maskAt(sigma);
      return blend(current, await opened.denoise(maskInput(x, sigma, current), sigma), cleanLatent);
    },
    async denoiseBoth(x, sigma) {
      const current = maskAt(sigma);
      const { denoised, uncond } = await opened.denoiseBoth(maskInput(x, sigma, current), sigma);
      return { denoised: blend(current, denoised, cleanLatent), uncond };
    },
  };
}

const isEmpty = ({ data }: FloatTensor): boolean => data.every((value) => value === 0);

/**
 * An empty latent fits every model: it gets the model's number of channels.
 *
 * @throws TypeError when another latent does not fit.
 */
function fitChannels(samples: FloatTensor, channels: number): FloatTensor {
  const [batch = 1, ownChannels = channels, ...rest] = samples.shape;
  if (ownChannels === channels) return samples;
  if (isEmpty(samples)) return zeros([batch, channels, ...rest]);
  throw new TypeError(
    `this model works on latents of ${channels} channels, and the input has ${ownChannels}`,
  );
}

/** An empty latent stays empty: its zeros stand for no image, not for a gray one. */
const scaled = (samples: FloatTensor, format: LatentFormat): FloatTensor =>
  isEmpty(samples) ? samples : scaleLatent(samples, format);

/** mask a + (1 - mask) b */
function blend(mask: FloatTensor, a: FloatTensor, b: FloatTensor): FloatTensor {
  const difference = combine([1, a], [-1, b]);
  for (let i = 0; i < difference.data.length; i++)
    difference.data[i] = b.data[i]! + mask.data[i]! * difference.data[i]!;
  return difference;
}

/**
 * Adds noise to samples: the difference between the first and the last level. A single level is used completely.
 * Elements that become infinite or NaN are 0.
 */
export function addNoise(
  model: DiffusionModel,
  noise: NoiseSource,
  sigmas: Float32Array,
  latent: Latent,
): FloatTensor {
  if (sigmas.length === 0) return latent.samples;
  const cleanLatent = scaled(latent.samples, model.latent);
  const sigma = sigmas.length > 1 ? Math.abs(sigmas[0]! - sigmas.at(-1)!) : sigmas[0]!;
  const noised = model.sampling.noised(sigma, noise.generate(latent), cleanLatent, false);
  return unscaleLatent(
    map((value) => (Number.isFinite(value) ? value : 0), noised),
    model.latent,
  );
}
