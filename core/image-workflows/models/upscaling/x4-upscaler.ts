/**
 * The x4 upscaler of Stable Diffusion 2, which takes the small image as additional input channels (Rombach et al.,
 * "High-resolution image synthesis with latent diffusion models", 2022, section 4.4).
 */
import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { BetaSchedule } from '../../sampling/model-sampling/discrete.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { noiseAdder } from '../vision/noise-augmentation.ts';

/** Red, green and blue. */
export const UPSCALER_IMAGE_CHANNELS = 3;
/** The noise that small images got in the upscaler's training, and its highest level. */
const BETAS: BetaSchedule = { kind: 'scaled_linear', start: 0.0001, end: 0.02, steps: 1000 };
const MAX_LEVEL = 350;
/** ComfyUI draws the noise for images with a seed that is smaller by this number than the sampling seed. */
const SEED_OFFSET = 10n;
const addNoise = noiseAdder(BETAS);

/** The noisy image in the size of the latent, and its noise level. The image is zeros for prompts without one. */
export const upscalerInputs: NonNullable<DiffusionModel['imageInputs']> = (
  { upscaling },
  { shape: [batch = 1, , height = 1, width = 1], seed },
) => {
  const { image, noise: noiseShare } = upscaling ?? { noise: 0 };
  const level = roundHalfEven(MAX_LEVEL * noiseShare);
  const classLabels = { shape: [1], data: Float32Array.of(level) };
  if (!image) return { concat: zeros([batch, UPSCALER_IMAGE_CHANNELS, height, width]), classLabels };
  const resized = rasterToPlanes(resize(planesToRaster(image), width, height, 'bilinear', 'center'));
  if (noiseShare === 0) return { concat: resampleBatch(resized, batch), classLabels };
  const noise = new TorchGenerator(BigInt.asUintN(64, seed - SEED_OFFSET)).normal(resized.shape);
  return { concat: resampleBatch(addNoise(resized, noise, level), batch), classLabels };
};

/** A batch with another number of images: some are dropped evenly, or all are repeated evenly in their order. */
function resampleBatch({ shape, data }: FloatTensor, batch: number): FloatTensor {
  const [count = 1, ...rest] = shape;
  if (count === batch) return { shape, data };
  const size = data.length / count;
  const result = zeros([batch, ...rest]);
  for (let i = 0; i < batch; i++) {
    const index =
      batch < count
        ? roundHalfEven((i * (count - 1)) / Math.max(batch - 1, 1))
        : Math.floor(((i + 0.5) * count) / batch);
    const from = Math.min(index, count - 1) * size;
    result.data.set(data.subarray(from, from + size), i * size);
  }
  return result;
}
