/** Guidance by what a model makes of its own picture, blurred at the places that it looks at. */
import { blurWith } from '../../images/operations/convolve.ts';
import type { PostCfg } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';
import { combine } from '../tensor-math.ts';

/** Cells to each side that a blur looks at. */
const RADIUS = 4;

/**
 * denoised + scale (degraded - seen), where `degraded` is the clean latent without the prompt, blurred where the network looks, and
 * `seen` what the model makes of it without the prompt, under the same noise (Hong et al., "Improving sample quality of diffusion
 * models using self-attention guidance", 2023, algorithm 1). `attention`: the name under which the network gives how much it looks
 * at each place, [batch, places], 1 on average.
 */
export function selfAttentionGuidance(attention: string, scale: number, blurSigma: number): PostCfg {
  return async ({ x, uncond, denoised, captured: taken = [] }, ask) => {
    // Of regions that the network saw one after another, the last.
    const places = taken.at(-1)?.[attention];
    // Too small to be blurred.
    if (!places || Math.min(...x.shape.slice(2)) <= RADIUS) return denoised;
    const degraded = selectWhere(places, await blurred(uncond, blurSigma), uncond);
    const seen = await ask('without', combine([1, degraded], [1, x], [-1, uncond]), {});
    return combine([1, denoised], [scale, degraded], [-scale, seen]);
  };
}

/** Gives way now and then; what is asked next looks at the signal. */
function blurred(latent: FloatTensor, sigma: number): Promise<FloatTensor> | FloatTensor {
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

/** Cells of `there` at the places that are looked at more than others, and of `elsewhere`. */
export function selectWhere(places: FloatTensor, there: FloatTensor, elsewhere: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = elsewhere.shape;
  // Of several prompts the first.
  const count = places.data.length / (places.shape[0] ?? 1);
  const [rows, columns] = mapSides(count, height, width);
  const data = elsewhere.data.slice();
  let at = 0;
  for (let picture = 0; picture < batch; picture++)
    for (let channel = 0; channel < channels; channel++)
      for (let row = 0; row < height; row++) {
        const line = picture * count + Math.floor((row * rows) / height) * columns;
        for (let column = 0; column < width; column++, at++)
          if (places.data[line + Math.floor((column * columns) / width)]! > 1) data[at] = there.data[at]!;
      }
  return { shape: elsewhere.shape, data };
}

/** Height and width of the middle: each level halves them, upwards. Else the sides of which theirs is nearest to the latent's. */
export function mapSides(count: number, height: number, width: number): [rows: number, columns: number] {
  for (let part = 1; part < 2 * Math.max(height, width); part *= 2) {
    const [rows, columns] = [Math.ceil(height / part), Math.ceil(width / part)];
    if (rows * columns === count) return [rows, columns];
  }
  const wanted = Math.sqrt((count * height) / width);
  let best = 1;
  for (let rows = 1; rows <= count; rows++)
    if (count % rows === 0 && Math.abs(rows - wanted) < Math.abs(best - wanted)) best = rows;
  return [best, count / best];
}
