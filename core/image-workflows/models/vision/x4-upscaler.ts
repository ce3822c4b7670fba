/** Enlarging by diffusion: the network sees the small picture beside its latent (Rombach et al., "High-resolution image synthesis with latent diffusion models", 2022, section 4.4). */
import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { BetaSchedule } from '../../sampling/model-sampling/discrete.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { noiseAdder } from './noise-augmentation.ts';

/** Of red, green and blue. */
export const UPSCALER_IMAGE_CHANNELS = 3;
/** How noise was added to small pictures in the training of Stable Diffusion's upscaler, and the most of it. */
const BETAS: BetaSchedule = { kind: 'scaled_linear', start: 0.0001, end: 0.02, steps: 1000 };
const HIGHEST_LEVEL = 350;
/** The noise for pictures is that of a seed this much before the one of the sampling. */
const SEED_BEFORE = 10n;
const noised = noiseAdder(BETAS);

/** The picture as large as the latent, with noise, and the level of the noise. Without a picture: zeros. */
export const upscalerInputs: NonNullable<DiffusionModel['imageInputs']> = (
  { upscaling: { image: smallPicture, noise: smallPictureNoise = 0 } = {} },
  { shape: [batch = 1, , height = 1, width = 1], seed },
) => {
  const level = roundHalfEven(HIGHEST_LEVEL * smallPictureNoise);
  const classLabels = { shape: [1], data: Float32Array.of(level) };
  if (!smallPicture) return { concat: zeros([batch, UPSCALER_IMAGE_CHANNELS, height, width]), classLabels };
  const sized = rasterToPlanes(resize(planesToRaster(smallPicture), width, height, 'bilinear', 'center'));
  if (smallPictureNoise === 0) return { concat: spread(sized, batch), classLabels };
  const noise = new TorchGenerator(BigInt.asUintN(64, seed - SEED_BEFORE)).normal(sized.shape);
  return { concat: spread(noised(sized, noise, level), batch), classLabels };
};

/** To `batch` pictures: some are left out, or all follow one another more slowly. */
function spread({ shape, data }: FloatTensor, batch: number): FloatTensor {
  const [has = 1, ...rest] = shape;
  if (has === batch) return { shape, data };
  const size = data.length / has;
  const made = zeros([batch, ...rest]);
  for (let i = 0; i < batch; i++) {
    const from =
      batch < has
        ? roundHalfEven((i * (has - 1)) / Math.max(batch - 1, 1))
        : Math.floor(((i + 0.5) * has) / batch);
    made.data.set(
      data.subarray(Math.min(from, has - 1) * size, (Math.min(from, has - 1) + 1) * size),
      i * size,
    );
  }
  return made;
}
