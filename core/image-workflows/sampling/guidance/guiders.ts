/** Guiders: each combines the clean latents for its prompts into a guided one. */
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { GuidanceValues, ModelPass } from '../../values/guidance.ts';
import type { GuidedModel, Guider } from '../../values/guider.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { activationCapture, type PatchedPass, uncondPatches } from './active-patches.ts';
import { withSharedControl } from './control-nets.ts';
import { predictor } from './predict.ts';
import type { Predict } from './prediction.ts';
import { type Region, toRegions, withPartners } from './regions.ts';
import { withSharedGligen } from './shared-gligen.ts';

const plainCfg = ({ cond, uncond, scale }: GuidanceValues): FloatTensor =>
  combine([scale, cond], [1 - scale, uncond]);

/** The guided clean latent, with all changes to guidance that nodes have set. Rejects with errors of `pass`. */
async function applyGuidance(
  model: DiffusionModel,
  values: GuidanceValues,
  pass: ModelPass,
): Promise<FloatTensor> {
  const changed = applyPreCfg(model, values);
  const denoised = (model.guidance.cfg ?? plainCfg)(changed);
  return applyPostCfg(model, { ...changed, denoised }, pass);
}

const applyPreCfg = ({ guidance }: DiffusionModel, values: GuidanceValues): GuidanceValues =>
  guidance.preCfg.reduce((current, change) => change(current), values);

async function applyPostCfg(
  { guidance }: DiffusionModel,
  values: GuidanceValues & { denoised: FloatTensor },
  pass: ModelPass,
): Promise<FloatTensor> {
  let { denoised } = values;
  for (const change of guidance.postCfg) denoised = await change({ ...values, denoised }, pass);
  return denoised;
}

/** The active patches for each list of regions. Undefined when there are none: then cached outputs may be used. */
const activePatchesOf = (passes: readonly (PatchedPass | undefined)[]) =>
  passes.some(Boolean) ? passes.map((pass) => pass?.active) : undefined;

const modelPass =
  (
    predict: Predict,
    sigma: number,
    lists: { cond: readonly Region[]; uncond: readonly Region[] },
  ): ModelPass =>
  async (prompt, x, active) =>
    (await predict([lists[prompt]], x, sigma, [active]))[0]!;

/**
 * Classifier-free guidance (Ho and Salimans, 2022): uncond + scale (cond - uncond). At scale 1, uncond is not computed
 * unless a node's change to guidance needs it.
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
      const fitToLatent = (conditioning: Conditioning) => toRegions(conditioning, shape, model, start);
      const ownPositive = fitToLatent(positive);
      const ownNegative = withSharedGligen(
        withSharedControl(fitToLatent(negative), ownPositive),
        ownPositive,
      );
      const lists = {
        cond: withPartners(ownPositive, ownNegative),
        uncond: withPartners(ownNegative, ownPositive),
      };
      const { guidance } = model;
      const extra = guidance.extraPrompt && fitToLatent(guidance.extraPrompt);
      const alwaysNeedsUncond =
        guidance.preCfg.length > 0 ||
        guidance.cfg !== undefined ||
        guidance.postCfg.some(({ ignoresUncond }) => !ignoresUncond);
      const run = async (x: FloatTensor, sigma: number, needsUncond: boolean) => {
        const scale = typeof cfg === 'number' ? cfg : cfg(sigma);
        const pass = modelPass(predict, sigma, lists);
        if (Math.abs(scale - 1) < 1e-9 && !alwaysNeedsUncond && !needsUncond) {
          const cond = (await predict([lists.cond], x, sigma))[0]!;
          const values = { x, sigma, cond, uncond: cond, scale, denoised: cond };
          return { denoised: await applyPostCfg(model, values, pass), uncond: cond };
        }
        const patched = uncondPatches(guidance, sigma);
        const [cond, uncond, extraDenoised] = await predict(
          extra ? [lists.cond, lists.uncond, extra] : [lists.cond, lists.uncond],
          x,
          sigma,
          activePatchesOf([undefined, patched]),
        );
        const extraValue = extraDenoised && { extra: extraDenoised };
        const values = { x, sigma, cond: cond!, uncond: uncond!, scale, ...extraValue, ...patched?.values };
        return { denoised: await applyGuidance(model, values, pass), uncond: uncond! };
      };
      return {
        denoise: async (x, sigma) => (await run(x, sigma, false)).denoised,
        denoiseBoth: (x, sigma) => run(x, sigma, true),
      };
    },
  };
}

/** Uses the clean latent for the prompt without guidance. */
export function basicGuider(model: DiffusionModel, conditioning: Conditioning): Guider {
  return {
    model,
    open(shape, signal, start): GuidedModel {
      const predict = predictor(model, signal);
      const regions = toRegions(conditioning, shape, model, start);
      const denoise = async (x: FloatTensor, sigma: number) => {
        const capture = activationCapture(model.guidance);
        const cond = (await predict([regions], x, sigma, activePatchesOf([capture])))[0]!;
        // There is nothing to guide, but post-CFG changes apply.
        const values = { x, sigma, cond, uncond: cond, scale: 1, denoised: cond, ...capture?.values };
        return applyPostCfg(model, values, modelPass(predict, sigma, { cond: regions, uncond: regions }));
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
 * Guidance with two prompts and a negative one. Source: Brooks et al., "InstructPix2Pix", 2022, equation 3.
 *
 * @param nested true: the result of the first and second prompt is guided away from the negative one. False: the second
 *   prompt is guided away from the negative one, and the difference of the first and the second is added.
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
        const captures = [undefined, activationCapture(model.guidance), activationCapture(model.guidance)];
        const latents = await predict(lists, x, sigma, activePatchesOf(captures));
        const [firstLatent, secondLatent, uncond] = latents as [FloatTensor, FloatTensor, FloatTensor];
        /** Guides from the list with the index `from` to the one with the index `to`. */
        const guide = (to: number, from: number, scale: number, cond = latents[to]!) =>
          applyGuidance(
            model,
            { x, sigma, cond, uncond: latents[from]!, scale, ...captures[from]?.values },
            modelPass(predict, sigma, { cond: lists[to]!, uncond: lists[from]! }),
          );
        const denoised = nested
          ? await guide(0, 2, scales.negative, await guide(0, 1, scales.between))
          : combine(
              [1, await guide(1, 2, scales.negative)],
              [scales.between, firstLatent],
              [-scales.between, secondLatent],
            );
        return { denoised, uncond };
      };
      return { denoise: async (x, sigma) => (await run(x, sigma)).denoised, denoiseBoth: run };
    },
  };
}

/**
 * Perp-Neg: only the component of the negative prompt that is perpendicular to the prompt counts (Armandpour et al.,
 * "Re-imagine the negative prompt algorithm", 2023, equation 7).
 */
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
        const capture = activationCapture(model.guidance);
        const latents = await predict(lists, x, sigma, activePatchesOf([undefined, capture]));
        const [cond, uncond, emptyLatent] = latents as [FloatTensor, FloatTensor, FloatTensor];
        const changed = applyPreCfg(model, { x, sigma, cond, uncond, scale, ...capture?.values });
        const denoised = perpNeg(changed.cond, changed.uncond, emptyLatent, scale, negativeScale);
        const pass = modelPass(predict, sigma, { cond: lists[0]!, uncond: lists[1]! });
        return {
          denoised: await applyPostCfg(model, { ...changed, denoised }, pass),
          uncond: emptyLatent,
        };
      };
      return { denoise: async (x, sigma) => (await run(x, sigma)).denoised, denoiseBoth: run };
    },
  };
}

/** The Perp-Neg combination. `empty`: the clean latent for an empty prompt. */
export function perpNeg(
  cond: FloatTensor,
  uncond: FloatTensor,
  empty: FloatTensor,
  scale: number,
  negativeScale: number,
): FloatTensor {
  const positive = combine([1, cond], [-1, empty]);
  const negative = combine([1, uncond], [-1, empty]);
  const share = dot(negative, positive) / Math.max(dot(positive, positive), Number.MIN_VALUE);
  const perpendicular = combine([1, negative], [-share, positive]);
  return combine([1, empty], [scale, positive], [-scale * negativeScale, perpendicular]);
}

function dot(a: FloatTensor, b: FloatTensor): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += a.data[i]! * b.data[i]!;
  return sum;
}
