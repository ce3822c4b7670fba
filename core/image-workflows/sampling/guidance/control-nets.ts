/** Control nets in a step (Zhang et al., "Adding conditional control to text-to-image diffusion models", 2023). */
import { mergeOptions } from '../../values/conditioning.ts';
import type { ControlHint } from '../../values/control-net.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type ControlResidual, type NetworkPrompt, residualKind } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import type { Region } from './regions.ts';

type Residuals = readonly ControlResidual[];

/**
 * The residuals for each region with control nets that are active at this level: the weighted sum over all its control
 * nets.
 *
 * @param x the noisy latent, cut to the area of the regions.
 */
export async function controlResiduals(
  regions: readonly Region[],
  { sampling, latent, network }: Pick<DiffusionModel, 'sampling' | 'latent' | 'network'>,
  x: FloatTensor,
  sigma: number,
  signal: AbortSignal,
): Promise<Map<Region, Residuals>> {
  const sums = new Map<Region, Residuals>();
  for (const [hint, users] of regionsByHint(regions, sampling, sigma)) {
    const prompts = users.map(
      ({ entry: { tensor, options } }): NetworkPrompt => ({
        tensor: options.control?.prompt ?? tensor,
        options,
      }),
    );
    const { image, vae, mask, strength } = hint;
    const net = hint.net.forNetwork?.(network) ?? hint.net;
    const latentInputs = { latent, ...(vae && { vae }), ...(mask && { mask }) };
    const input = sampling.input(sigma, x);
    const time = sampling.timestepOf(sigma);
    const residuals = await net.residuals(input, time, prompts, image, signal, latentInputs);
    for (const [index, region] of users.entries())
      sums.set(region, addScaled(sums.get(region), residuals[index]!, strength));
  }
  return sums;
}

/** Regions that share a hint run through its control net together. */
function regionsByHint(
  regions: readonly Region[],
  sampling: DiffusionModel['sampling'],
  sigma: number,
): Map<ControlHint, Region[]> {
  const byHint = new Map<ControlHint, Region[]>();
  for (const region of regions)
    for (let hint = region.entry.options.control?.hint; hint; hint = hint.previous) {
      const isActive =
        sigma <= sampling.sigmaAt(hint.startPercent) && sigma >= sampling.sigmaAt(hint.endPercent);
      if (isActive && hint.strength !== 0) byHint.set(hint, [...(byHint.get(hint) ?? []), region]);
    }
  return byHint;
}

/** Residuals with an input of their own add to those of the same input, and the others in their order. */
function addScaled(sum: Residuals = [], added: Residuals, strength: number): Residuals {
  const result = new Map(sum.map((tensor, index) => [placeOf(sum, index), tensor]));
  for (const [index, tensor] of added.entries()) {
    const place = placeOf(added, index);
    const before = result.get(place);
    const factor = strength ** (tensor.power ?? 1);
    const terms = before ? combine([1, before], [factor, tensor]) : combine([factor, tensor]);
    result.set(place, { ...tensor, ...terms });
  }
  return [...result.values()];
}

/** The input that takes a residual, or its index among those of its kind from control nets of the same size. */
function placeOf(residuals: Residuals, index: number): string {
  const { input } = residuals[index]!;
  if (input !== undefined) return input;
  const kind = residualKind(residuals[index]!);
  const before = residuals.slice(0, index).filter((each) => residualKind(each) === kind);
  return `${kind} ${before.length}`;
}

/** Copies control nets of the prompt that count for both sides to the negative prompt. */
export function withSharedControl(regions: readonly Region[], promptRegions: readonly Region[]): Region[] {
  const shared = promptRegions.find(({ entry }) => entry.options.control?.isShared)?.entry.options.control;
  if (!shared?.hint) return [...regions];
  const control = { hint: shared.hint };
  return regions.map((region) => {
    const { tensor, options } = region.entry;
    return options.control?.hint
      ? region
      : { ...region, entry: { tensor, options: mergeOptions(options, { control }) } };
  });
}
