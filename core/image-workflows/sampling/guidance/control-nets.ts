import { mergeOptions } from '../../values/conditioning.ts';
import type { ControlHint } from '../../values/control-net.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import type { Region } from './regions.ts';

type Residuals = readonly FloatTensor[];

/** For each region that has control nets which count at this level: the sum of what they add. */
export async function controlResiduals(
  regions: readonly Region[],
  { sampling, latent }: Pick<DiffusionModel, 'sampling' | 'latent'>,
  part: FloatTensor,
  sigma: number,
  signal: AbortSignal,
): Promise<Map<Region, Residuals>> {
  const sums = new Map<Region, Residuals>();
  const byHint = new Map<ControlHint, Region[]>();
  for (const region of regions)
    for (let hint = region.entry.options.control?.hint; hint; hint = hint.previous) {
      const counts =
        sigma <= sampling.sigmaAt(hint.startPercent) && sigma >= sampling.sigmaAt(hint.endPercent);
      if (counts && hint.strength !== 0) byHint.set(hint, [...(byHint.get(hint) ?? []), region]);
    }
  for (const [hint, users] of byHint) {
    const input = sampling.input(sigma, part);
    const prompts = users.map(
      ({ entry: { tensor, options } }): NetworkPrompt => ({
        tensor: options.control?.prompt ?? tensor,
        options,
      }),
    );
    const { net, image, vae, mask } = hint;
    const sight = { latent, ...(vae && { vae }), ...(mask && { mask }) };
    const added = await net.residuals(input, sampling.timestepOf(sigma), prompts, image, signal, sight);
    for (const [index, region] of users.entries()) {
      const before = sums.get(region);
      sums.set(
        region,
        added[index]!.map((tensor, place) =>
          before ? combine([1, before[place]!], [hint.strength, tensor]) : combine([hint.strength, tensor]),
        ),
      );
    }
  }
  return sums;
}

/** Control nets that were set for both sides on the prompt alone. */
export function withSharedControl(regions: readonly Region[], partners: readonly Region[]): Region[] {
  const shared = partners.find(({ entry }) => entry.options.control?.isShared)?.entry.options.control;
  if (!shared?.hint) return [...regions];
  const control = { hint: shared.hint };
  return regions.map((region) => {
    const { tensor, options } = region.entry;
    return options.control?.hint
      ? region
      : { ...region, entry: { tensor, options: mergeOptions(options, { control }) } };
  });
}
