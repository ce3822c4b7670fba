import type { NoiseLevels, Prediction } from '../../values/noise-levels.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';

/**
 * x = image + sigma noise. At the highest level, the coefficient of the noise is sqrt(1 + sigma^2) instead, so that the
 * noise in the network's input has variance 1.
 */
const additive = {
  isFlow: false,
  noised: (sigma: number, noise: FloatTensor, latent: FloatTensor, full: boolean) =>
    combine([full ? Math.sqrt(1 + sigma * sigma) : sigma, noise], [1, latent]),
  finished: (_sigma: number, x: FloatTensor) => x,
};

/**
 * The input scaling of Karras et al., "Elucidating the design space of diffusion-based generative models" (EDM), 2022.
 */
const variancePreserving = (dataSigma: number) => (sigma: number, x: FloatTensor) =>
  combine([1 / Math.hypot(sigma, dataSigma), x]);

/** The output F is the noise: denoised = x - sigma F (DDPM, Ho et al., 2020; VP in EDM's table 1). */
export const noisePrediction = (dataSigma = 1): Prediction => ({
  ...additive,
  input: variancePreserving(dataSigma),
  denoised: (sigma, output, x) => combine([1, x], [-sigma, output]),
});

/** The output is the velocity alpha noise - sigma image (Salimans and Ho, "Progressive distillation", 2022). */
export const velocityPrediction = (dataSigma = 1): Prediction => ({
  ...additive,
  input: variancePreserving(dataSigma),
  denoised(sigma, output, x) {
    const total = sigma * sigma + dataSigma * dataSigma;
    return combine([(dataSigma * dataSigma) / total, x], [(-sigma * dataSigma) / Math.sqrt(total), output]);
  },
});

/** The output is preconditioned as in EDM, equation 7 and table 1. */
export const edmPrediction = (dataSigma = 1): Prediction => ({
  ...additive,
  input: variancePreserving(dataSigma),
  denoised(sigma, output, x) {
    const total = sigma * sigma + dataSigma * dataSigma;
    return combine([(dataSigma * dataSigma) / total, x], [(sigma * dataSigma) / Math.sqrt(total), output]);
  },
});

/** The output is the image. */
export const imagePrediction = (dataSigma = 1): Prediction => ({
  ...additive,
  input: variancePreserving(dataSigma),
  denoised: (_sigma, output) => output,
});

/** The network maps an image to an image. Neither is scaled. */
export const imageToImage = (): Prediction => ({
  ...additive,
  input: (_sigma, x) => x,
  denoised: (_sigma, output) => output,
});

/** The output is the direction from image to noise (rectified flow, Liu et al., 2022; flow matching, Lipman et al., 2022). */
export const flowPrediction = (): Prediction => ({
  isFlow: true,
  input: (_sigma, x) => x,
  denoised: (sigma, output, x) => combine([1, x], [-sigma, output]),
  noised: (sigma, noise, latent) => combine([sigma, noise], [1 - sigma, latent]),
  finished: (sigma, x) => combine([1 / (1 - sigma), x]),
});

/**
 * A flow whose noise levels are those of EDM: x = image + sigma noise, and the time of the flow is sigma / (1 + sigma).
 * Source: NVIDIA, "World simulation with video foundation models for physical AI", 2025.
 */
export const cosmosFlowPrediction = (): Prediction => ({
  ...additive,
  input: (sigma, x) => combine([1 / (1 + sigma), x]),
  denoised: (sigma, output, x) => combine([1 / (1 + sigma), x], [-sigma / (1 + sigma), output]),
  noised: (sigma, noise, latent) => combine([sigma, noise], [1, latent]),
});

/** Noise prediction with the boundary condition of Luo et al., "Latent consistency models", 2023, section 4.1. */
export function consistencyPrediction(levels: NoiseLevels): Prediction {
  const inner = noisePrediction();
  const [dataSigma, timestepScale] = [0.5, 10];
  return {
    ...inner,
    denoised(sigma, output, x) {
      const image = inner.denoised(sigma, output, x);
      const time = levels.timestepOf(sigma) * timestepScale;
      const total = time * time + dataSigma * dataSigma;
      return combine([time / Math.sqrt(total), image], [(dataSigma * dataSigma) / total, x]);
    },
  };
}
