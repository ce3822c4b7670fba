import type { AskModel, GuidanceValues, GuidedModel, Guider, ModelPatch } from '../../values/sampling.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import type { Conditioning } from '../../values/types.ts';
import { combine } from '../float-tensor.ts';
import { withSharedControl } from './control.ts';
import { type Predict, predictor } from './predict.ts';
import { type Region, regionsOf, withPartners } from './regions.ts';

const plainly = ({ cond, uncond, scale }: GuidanceValues): FloatTensor =>
  combine([scale, cond], [1 - scale, uncond]);

/** The guided clean latent, with what nodes have set on the model. Rejects with what `ask` rejects with. */
export async function guided(
  { guidance }: ModelPatch,
  values: GuidanceValues,
  ask: AskModel,
): Promise<FloatTensor> {
  const changed = guidance.before.reduce((current, change) => change(current), values);
  let denoised = (guidance.combine ?? plainly)(changed);
  for (const change of guidance.after) denoised = await change({ ...changed, denoised }, ask);
  return denoised;
}

const asking =
  (
    predict: Predict,
    sigma: number,
    lists: { with: readonly Region[]; without: readonly Region[] },
  ): AskModel =>
  async (prompt, x, inForce) =>
    (await predict([lists[prompt]], x, sigma, [inForce]))[0]!;

/**
 * Classifier-free guidance (Ho and Salimans, 2022): uncond + scale (cond - uncond). At scale 1 the part without the prompt
 * is not computed, unless something needs it.
 */
export function cfgGuider(
  model: ModelPatch,
  positive: Conditioning,
  negative: Conditioning,
  cfg: number | ((sigma: number) => number),
): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const fitted = (conditioning: Conditioning) => regionsOf(conditioning, shape, model, start);
      const alone = fitted(positive);
      const other = withSharedControl(fitted(negative), alone);
      const wanted = withPartners(alone, other);
      const unwanted = withPartners(other, alone);
      const { guidance } = model;
      const further = guidance.besides && fitted(guidance.besides);
      const looksAtBoth =
        guidance.before.length > 0 || guidance.combine !== undefined || guidance.after.length > 0;
      const run = async (x: FloatTensor, sigma: number, both: boolean) => {
        const scale = typeof cfg === 'number' ? cfg : cfg(sigma);
        if (Math.abs(scale - 1) < 1e-9 && !looksAtBoth && !both) {
          const [cond] = await predict([wanted], x, sigma);
          return { denoised: cond!, uncond: cond! };
        }
        const lists = further ? [wanted, unwanted, further] : [wanted, unwanted];
        const [cond, uncond, besides] = await predict(lists, x, sigma);
        const seen = { x, sigma, cond: cond!, uncond: uncond!, scale, ...(besides && { besides }) };
        const ask = asking(predict, sigma, { with: wanted, without: unwanted });
        return { denoised: await guided(model, seen, ask), uncond: uncond! };
      };
      return {
        denoise: async (x, sigma) => (await run(x, sigma, false)).denoised,
        denoiseBoth: (x, sigma) => run(x, sigma, true),
      };
    },
  };
}

/** The model with its prompt alone. */
export function basicGuider(model: ModelPatch, conditioning: Conditioning): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const regions = regionsOf(conditioning, shape, model, start);
      const denoise = async (x: FloatTensor, sigma: number) => {
        const cond = (await predict([regions], x, sigma))[0]!;
        // Nothing is guided; what else nodes ask the model counts.
        const seen = { x, sigma, cond, uncond: cond, scale: 1 };
        const ask = asking(predict, sigma, { with: regions, without: regions });
        let denoised = cond;
        for (const change of model.guidance.after) denoised = await change({ ...seen, denoised }, ask);
        return denoised;
      };
      return {
        denoise,
        async denoiseBoth(x, sigma) {
          const denoised = await denoise(x, sigma);
          return { denoised, uncond: denoised };
        },
      };
    },
  };
}

/**
 * Two prompts and a negative one (Brooks et al., "InstructPix2Pix", 2022, equation 3). `nested`: the first prompt is guided
 * away from what the second one gives; else each has its own share.
 */
export function dualGuider(
  model: ModelPatch,
  [first, second, negative]: readonly [Conditioning, Conditioning, Conditioning],
  scales: { between: number; negative: number },
  nested: boolean,
): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const lists = [first, second, negative].map((list) => regionsOf(list, shape, model, start));
      const run = async (x: FloatTensor, sigma: number) => {
        const [one, two, none] = (await predict(lists, x, sigma)) as [FloatTensor, FloatTensor, FloatTensor];
        const ask = asking(predict, sigma, { with: lists[0]!, without: lists[2]! });
        const step = (cond: FloatTensor, uncond: FloatTensor, scale: number) =>
          guided(model, { x, sigma, cond, uncond, scale }, ask);
        const denoised = nested
          ? await step(await step(one, two, scales.between), none, scales.negative)
          : combine(
              [1, await step(two, none, scales.negative)],
              [scales.between, one],
              [-scales.between, two],
            );
        return { denoised, uncond: none };
      };
      return { denoise: async (x, sigma) => (await run(x, sigma)).denoised, denoiseBoth: run };
    },
  };
}

/** Only the part of the negative prompt that is perpendicular to the prompt counts (Armandpour et al., "Re-imagine the negative prompt algorithm", 2023, equation 7). */
export function perpendicularGuider(
  model: ModelPatch,
  { positive, negative, empty }: { positive: Conditioning; negative: Conditioning; empty: Conditioning },
  scale: number,
  negativeScale: number,
): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const lists = [positive, negative, empty].map((list) => regionsOf(list, shape, model, start));
      const run = async (x: FloatTensor, sigma: number) => {
        const [wanted, unwanted, nothing] = (await predict(lists, x, sigma)) as [
          FloatTensor,
          FloatTensor,
          FloatTensor,
        ];
        const denoised = perpendicular(wanted, unwanted, nothing, scale, negativeScale);
        return { denoised, uncond: nothing };
      };
      return { denoise: async (x, sigma) => (await run(x, sigma)).denoised, denoiseBoth: run };
    },
  };
}

/** As `perpendicularGuider` has it. */
export function perpendicular(
  wanted: FloatTensor,
  unwanted: FloatTensor,
  nothing: FloatTensor,
  scale: number,
  negativeScale: number,
): FloatTensor {
  const toward = combine([1, wanted], [-1, nothing]);
  const away = combine([1, unwanted], [-1, nothing]);
  const share = dot(away, toward) / Math.max(dot(toward, toward), Number.MIN_VALUE);
  const aside = combine([1, away], [-share, toward]);
  return combine([1, nothing], [scale, toward], [-scale * negativeScale, aside]);
}

function dot(a: FloatTensor, b: FloatTensor): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += a.data[i]! * b.data[i]!;
  return sum;
}
