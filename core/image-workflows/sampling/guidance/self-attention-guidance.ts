/** Self-attention guidance: guides away from the prediction for an image that is blurred in its salient parts. */
import { blurWith } from '../../images/operations/convolve.ts';
import type { PostCfg } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';
import { combine } from '../tensor-math.ts';

/** The radius of the blur in latent cells. */
const RADIUS = 4;

/**
 * Self-attention guidance: denoised + scale (degraded - prediction). `degraded` is the uncond latent, blurred where the
 * network attends. The prediction is the uncond latent for `degraded` with the same noise. Source: Hong et al.,
 * "Improving sample quality of diffusion models using self-attention guidance", 2023, algorithm 1.
 *
 * @param attention the name of the captured attention map, [batch, cells], with the average 1.
 */
export function selfAttentionGuidance(attention: string, scale: number, blurSigma: number): PostCfg {
  return async ({ x, uncond, denoised, captured = [] }, pass) => {
    // With several regions, the map of the last one is used.
    const map = captured.at(-1)?.[attention];
    const isTooSmall = Math.min(...x.shape.slice(2)) <= RADIUS;
    if (!map || isTooSmall) return denoised;
    const degraded = selectWhere(map, await blur(uncond, blurSigma), uncond);
    const prediction = await pass('uncond', combine([1, degraded], [1, x], [-1, uncond]), {});
    return combine([1, denoised], [scale, degraded], [-scale, prediction]);
  };
}

/** A Gaussian blur. It yields to the event loop, and the model pass that follows checks for an interrupt. */
function blur(latent: FloatTensor, sigma: number): Promise<FloatTensor> | FloatTensor {
  if (sigma === 0) return latent;
  const bell = Array.from({ length: 2 * RADIUS + 1 }, (_, at) =>
    Math.exp(-0.5 * ((at - RADIUS) / sigma) ** 2),
  );
  const sum = bell.reduce((total, weight) => total + weight, 0);
  const [height = 1, width = 1] = latent.shape.slice(-2);
  const planes = {
    batch: latent.data.length / (height * width),
    height,
    width,
    channels: 1,
    data: latent.data,
  };
  const weights = bell.map((weight) => weight / sum);
  return runYielding(blurWith(planes, weights), new AbortController().signal).then(({ data }) => ({
    shape: latent.shape,
    data,
  }));
}

/** The cells of `salient` where the map is above its average, and those of `other` elsewhere. */
export function selectWhere(map: FloatTensor, salient: FloatTensor, other: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = other.shape;
  // With several prompts in the batch, the first one's map is used.
  const count = map.data.length / (map.shape[0] ?? 1);
  const [rows, columns] = mapSides(count, height, width);
  const data = other.data.slice();
  let at = 0;
  for (let image = 0; image < batch; image++)
    for (let channel = 0; channel < channels; channel++)
      for (let row = 0; row < height; row++) {
        const line = image * count + Math.floor((row * rows) / height) * columns;
        for (let column = 0; column < width; column++, at++)
          if (map.data[line + Math.floor((column * columns) / width)]! > 1) data[at] = salient.data[at]!;
      }
  return { shape: other.shape, data };
}

/**
 * Height and width of a map with `count` cells, for a latent of a size. Each level of a UNet halves the sides, rounding
 * up. If no level fits, the sides with the most similar aspect ratio are used.
 */
export function mapSides(count: number, height: number, width: number): [rows: number, columns: number] {
  for (let divisor = 1; divisor < 2 * Math.max(height, width); divisor *= 2) {
    const [rows, columns] = [Math.ceil(height / divisor), Math.ceil(width / divisor)];
    if (rows * columns === count) return [rows, columns];
  }
  const target = Math.sqrt((count * height) / width);
  let best = 1;
  for (let rows = 1; rows <= count; rows++)
    if (count % rows === 0 && Math.abs(rows - target) < Math.abs(best - target)) best = rows;
  return [best, count / best];
}
