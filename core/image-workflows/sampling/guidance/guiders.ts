import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { GuidanceValues, ModelPass } from '../../values/guidance.ts';
import type { GuidedModel, Guider } from '../../values/guider.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { activationCapture, type PatchedPass, uncondPatches } from './active-patches.ts';
import { withSharedControl } from './control-nets.ts';
import { type Predict, predictor } from './predict.ts';
import { type Region, toRegions, withPartners } from './regions.ts';
import { withSharedGligen } from './shared-gligen.ts';

const plainly = ({ cond, uncond, scale }: GuidanceValues): FloatTensor =>
  combine([scale, cond], [1 - scale, uncond]);

/** The guided clean latent, with what nodes have set on the model. Rejects with what `ask` rejects with. */
export async function applyGuidance(
  model: DiffusionModel,
  values: GuidanceValues,
  ask: ModelPass,
): Promise<FloatTensor> {
  const changed = changedBefore(model, values);
  const denoised = (model.guidance.cfg ?? plainly)(changed);
  return changedAfter(model, { ...changed, denoised }, ask);
}

const changedBefore = ({ guidance }: DiffusionModel, values: GuidanceValues): GuidanceValues =>
  guidance.preCfg.reduce((current, change) => change(current), values);

async function changedAfter(
  { guidance }: DiffusionModel,
  values: GuidanceValues & { denoised: FloatTensor },
  ask: ModelPass,
): Promise<FloatTensor> {
  let { denoised } = values;
  for (const change of guidance.postCfg) denoised = await change({ ...values, denoised }, ask);
  return denoised;
}

/** For each list what is in force; undefined where nothing is, so that answers may be taken again. */
const inForceOf = (forced: readonly (PatchedPass | undefined)[]) =>
  forced.some(Boolean) ? forced.map((one) => one?.active) : undefined;

const asking =
  (
    predict: Predict,
    sigma: number,
    lists: { with: readonly Region[]; without: readonly Region[] },
  ): ModelPass =>
  async (prompt, x, inForce) =>
    (await predict([lists[prompt]], x, sigma, [inForce]))[0]!;

/**
 * Classifier-free guidance (Ho and Salimans, 2022): uncond + scale (cond - uncond). At scale 1 the part without the prompt
 * is not computed, unless something needs it.
 */
export function cfgGuider(
  model: DiffusionModel,
  positive: Conditioning,
  negative: Conditioning,
  cfg: number | ((sigma: number) => number),
): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const fitted = (conditioning: Conditioning) => toRegions(conditioning, shape, model, start);
      const alone = fitted(positive);
      const other = withSharedGligen(withSharedControl(fitted(negative), alone), alone);
      const wanted = withPartners(alone, other);
      const unwanted = withPartners(other, alone);
      const { guidance } = model;
      const further = guidance.extraPrompt && fitted(guidance.extraPrompt);
      const looksAtBoth =
        guidance.preCfg.length > 0 ||
        guidance.cfg !== undefined ||
        guidance.postCfg.some(({ ignoresUncond: ofPromptAlone }) => !ofPromptAlone);
      const run = async (x: FloatTensor, sigma: number, both: boolean) => {
        const scale = typeof cfg === 'number' ? cfg : cfg(sigma);
        const ask = asking(predict, sigma, { with: wanted, without: unwanted });
        if (Math.abs(scale - 1) < 1e-9 && !looksAtBoth && !both) {
          const cond = (await predict([wanted], x, sigma))[0]!;
          const seen = { x, sigma, cond, uncond: cond, scale, denoised: cond };
          return { denoised: await changedAfter(model, seen, ask), uncond: cond };
        }
        const lists = further ? [wanted, unwanted, further] : [wanted, unwanted];
        const forced = uncondPatches(guidance, sigma);
        const [cond, uncond, besides] = await predict(lists, x, sigma, inForceOf([undefined, forced]));
        const seen = { x, sigma, cond: cond!, uncond: uncond!, scale, ...(besides && { extra: besides }) };
        return { denoised: await applyGuidance(model, { ...seen, ...forced?.values }, ask), uncond: uncond! };
      };
      return {
        denoise: async (x, sigma) => (await run(x, sigma, false)).denoised,
        denoiseBoth: (x, sigma) => run(x, sigma, true),
      };
    },
  };
}

/** The model with its prompt alone. */
export function basicGuider(model: DiffusionModel, conditioning: Conditioning): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const regions = toRegions(conditioning, shape, model, start);
      const denoise = async (x: FloatTensor, sigma: number) => {
        const forced = activationCapture(model.guidance);
        const cond = (await predict([regions], x, sigma, inForceOf([forced])))[0]!;
        // Nothing is guided; what else nodes ask the model counts.
        const seen = { x, sigma, cond, uncond: cond, scale: 1, denoised: cond, ...forced?.values };
        return changedAfter(model, seen, asking(predict, sigma, { with: regions, without: regions }));
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
  model: DiffusionModel,
  [first, second, negative]: readonly [Conditioning, Conditioning, Conditioning],
  scales: { between: number; negative: number },
  nested: boolean,
): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const lists = [first, second, negative].map((list) => toRegions(list, shape, model, start));
      const run = async (x: FloatTensor, sigma: number) => {
        const forced = [undefined, activationCapture(model.guidance), activationCapture(model.guidance)];
        const seen = await predict(lists, x, sigma, inForceOf(forced));
        const [one, two, none] = seen as [FloatTensor, FloatTensor, FloatTensor];
        /** Guides from one of the lists to another, of which `cond` is what is seen so far. */
        const step = (to: number, from: number, scale: number, cond = seen[to]!) =>
          applyGuidance(
            model,
            { x, sigma, cond, uncond: seen[from]!, scale, ...forced[from]?.values },
            asking(predict, sigma, { with: lists[to]!, without: lists[from]! }),
          );
        const denoised = nested
          ? await step(0, 2, scales.negative, await step(0, 1, scales.between))
          : combine([1, await step(1, 2, scales.negative)], [scales.between, one], [-scales.between, two]);
        return { denoised, uncond: none };
      };
      return { denoise: async (x, sigma) => (await run(x, sigma)).denoised, denoiseBoth: run };
    },
  };
}

/** Only the part of the negative prompt that is perpendicular to the prompt counts (Armandpour et al., "Re-imagine the negative prompt algorithm", 2023, equation 7). */
export function perpNegGuider(
  model: DiffusionModel,
  { positive, negative, empty }: { positive: Conditioning; negative: Conditioning; empty: Conditioning },
  scale: number,
  negativeScale: number,
): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const lists = [positive, negative, empty].map((list) => toRegions(list, shape, model, start));
      const run = async (x: FloatTensor, sigma: number) => {
        const forced = activationCapture(model.guidance);
        const [wanted, unwanted, nothing] = (await predict(
          lists,
          x,
          sigma,
          inForceOf([undefined, forced]),
        )) as [FloatTensor, FloatTensor, FloatTensor];
        const seen = { x, sigma, cond: wanted, uncond: unwanted, scale, ...forced?.values };
        const changed = changedBefore(model, seen);
        const denoised = perpNeg(changed.cond, changed.uncond, nothing, scale, negativeScale);
        const ask = asking(predict, sigma, { with: lists[0]!, without: lists[1]! });
        return { denoised: await changedAfter(model, { ...changed, denoised }, ask), uncond: nothing };
      };
      return { denoise: async (x, sigma) => (await run(x, sigma)).denoised, denoiseBoth: run };
    },
  };
}

/** As `perpendicularGuider` has it. */
export function perpNeg(
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
