import type { DiffusionModel, StepCacheOptions } from '../../values/diffusion-model.ts';
import type { GuidedModel } from '../../values/guider.ts';
import type { ModelSampling } from '../../values/noise-levels.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { ChangeEstimator, meanMagnitude } from './change-estimator.ts';
import type { Region } from './regions.ts';

interface Levels {
  /** From here on answers may be used again. */
  from: number;
  /** From here on they are neither used nor kept. */
  to: number;
}

const levelsOf = ({ startPercent, endPercent }: StepCacheOptions, sampling: ModelSampling): Levels => ({
  from: sampling.sigmaAt(startPercent),
  to: sampling.sigmaAt(endPercent),
});

const difference = (output: FloatTensor, x: FloatTensor): FloatTensor => combine([1, output], [-1, x]);
const sum = (x: FloatTensor, added: FloatTensor): FloatTensor => combine([1, x], [1, added]);

/** What the network answered for each prompt, in one run. One prompt decides for all, as they move alike. */
export class NetworkCache {
  readonly #levels: Levels;
  readonly #meter = new ChangeEstimator();
  readonly #added = new Map<Region, FloatTensor>();
  #deciding: Region | undefined;
  #moved: number | undefined;
  #skips = false;

  constructor(
    private readonly options: StepCacheOptions,
    sampling: ModelSampling,
  ) {
    this.#levels = levelsOf(options, sampling);
  }

  /** Before the prompts of a step. */
  begin(): void {
    this.#skips = false;
    this.#moved = undefined;
  }

  /** The answers for regions that are asked about together. undefined: the network has to be asked. */
  recall(x: FloatTensor, sigma: number, regions: readonly Region[]): FloatTensor[] | undefined {
    const { from, to } = this.#levels;
    if (sigma <= to || sigma > from) return undefined;
    const isKnown = regions.every((region) => this.#added.has(region));
    // The last of them: the negative prompt, where there is one, as in the system imitated. Groups that are asked about
    // before it in a step are asked about in full.
    this.#deciding ??= regions.at(-1);
    if (!this.#skips && this.#deciding && regions.includes(this.#deciding)) {
      this.#moved = this.#meter.moved(x);
      this.#skips = this.#meter.stillFits(this.#moved, this.options.threshold, isKnown);
      this.options.log?.(`${this.#skips ? 'uses the last answer' : 'asks the model'} at sigma ${sigma}`);
    }
    if (!this.#skips || !isKnown) return undefined;
    return regions.map((region) => sum(x, this.#added.get(region)!));
  }

  learn(x: FloatTensor, sigma: number, regions: readonly Region[], outputs: readonly FloatTensor[]): void {
    if (sigma <= this.#levels.to) return;
    for (const [index, region] of regions.entries()) this.#added.set(region, difference(outputs[index]!, x));
    const place = this.#deciding ? regions.indexOf(this.#deciding) : -1;
    if (place >= 0) this.#meter.learn(x, outputs[place]!, this.#moved, meanMagnitude(outputs));
  }
}

/** The same for the guided result as a whole: one answer for a step, whatever it was made of. */
export function withGuidedCache(
  opened: GuidedModel,
  { stepCache: reuse, sampling }: DiffusionModel,
): GuidedModel {
  if (reuse?.scope !== 'guided') return opened;
  const { from, to } = levelsOf(reuse, sampling);
  const meter = new ChangeEstimator();
  let added: FloatTensor | undefined;
  let last: FloatTensor | undefined;

  async function look<T extends { denoised: FloatTensor; uncond?: FloatTensor }>(
    x: FloatTensor,
    sigma: number,
    ask: () => Promise<T>,
  ): Promise<T | { denoised: FloatTensor; uncond?: FloatTensor }> {
    if (sigma <= to) return ask();
    const moved = sigma <= from ? meter.moved(x) : undefined;
    const fits = meter.stillFits(moved, reuse!.threshold);
    if (sigma <= from) reuse!.log?.(`${fits ? 'uses the last answer' : 'asks the model'} at sigma ${sigma}`);
    if (fits && added) return { denoised: sum(x, added), ...(last && { uncond: last }) };
    const answer = await ask();
    added = difference(answer.denoised, x);
    last = answer.uncond;
    meter.learn(x, answer.denoised, moved);
    return answer;
  }

  return {
    denoise: async (x, sigma) =>
      (await look(x, sigma, async () => ({ denoised: await opened.denoise(x, sigma) }))).denoised,
    async denoiseBoth(x, sigma) {
      const { denoised, uncond } = await look(x, sigma, () => opened.denoiseBoth(x, sigma));
      return { denoised, uncond: uncond ?? denoised };
    },
  };
}
