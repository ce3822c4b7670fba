/**
 * EasyCache and LazyCache: the network is not run at every step. A skipped step adds the last difference of output and
 * input to the current input.
 */
import type { DiffusionModel, StepCacheOptions } from '../../values/diffusion-model.ts';
import type { GuidedModel } from '../../values/guider.ts';
import type { ModelSampling } from '../../values/noise-levels.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { ChangeEstimator, meanMagnitude } from './change-estimator.ts';
import type { Region } from './regions.ts';

interface ActiveLevels {
  /** The highest level at which cached results may be used. */
  from: number;
  /** At this level and below, results are neither used nor cached. */
  to: number;
}

const activeLevels = (
  { startPercent, endPercent }: StepCacheOptions,
  sampling: ModelSampling,
): ActiveLevels => ({
  from: sampling.sigmaAt(startPercent),
  to: sampling.sigmaAt(endPercent),
});

const difference = (output: FloatTensor, x: FloatTensor): FloatTensor => combine([1, output], [-1, x]);
const sum = (x: FloatTensor, change: FloatTensor): FloatTensor => combine([1, x], [1, change]);

const logLine = (isSkipped: boolean, sigma: number): string =>
  `${isSkipped ? 'skips the network' : 'runs the network'} at sigma ${sigma}`;

/** Caches the network's output for each region in one run. One region decides for all of a step. */
export class NetworkCache {
  readonly #levels: ActiveLevels;
  readonly #estimator = new ChangeEstimator();
  readonly #changes = new Map<Region, FloatTensor>();
  #deciding: Region | undefined;
  #inputChange: number | undefined;
  #isSkipping = false;

  constructor(
    private readonly options: StepCacheOptions,
    sampling: ModelSampling,
  ) {
    this.#levels = activeLevels(options, sampling);
  }

  /** Call at the start of each step. */
  begin(): void {
    this.#isSkipping = false;
    this.#inputChange = undefined;
  }

  /** The estimated outputs for regions that run together. Undefined when the network has to run. */
  recall(x: FloatTensor, sigma: number, regions: readonly Region[]): FloatTensor[] | undefined {
    const { from, to } = this.#levels;
    if (sigma <= to || sigma > from) return undefined;
    const isCached = regions.every((region) => this.#changes.has(region));
    // As in ComfyUI, the last region decides: one of the negative prompt, if there is one. Groups that come before its
    // group in a step are computed.
    this.#deciding ??= regions.at(-1);
    if (!this.#isSkipping && this.#deciding && regions.includes(this.#deciding)) {
      this.#inputChange = this.#estimator.inputChange(x);
      this.#isSkipping = this.#estimator.canReuse(this.#inputChange, this.options.threshold, isCached);
      this.options.log?.(logLine(this.#isSkipping, sigma));
    }
    if (!this.#isSkipping || !isCached) return undefined;
    return regions.map((region) => sum(x, this.#changes.get(region)!));
  }

  learn(x: FloatTensor, sigma: number, regions: readonly Region[], outputs: readonly FloatTensor[]): void {
    if (sigma <= this.#levels.to) return;
    for (const [index, region] of regions.entries())
      this.#changes.set(region, difference(outputs[index]!, x));
    const index = this.#deciding ? regions.indexOf(this.#deciding) : -1;
    if (index >= 0) this.#estimator.learn(x, outputs[index]!, this.#inputChange, meanMagnitude(outputs));
  }
}

/** Caches the guided result of a step, for models with a step cache of the scope `guided`. */
export function withGuidedCache(opened: GuidedModel, { stepCache, sampling }: DiffusionModel): GuidedModel {
  if (stepCache?.scope !== 'guided') return opened;
  const { threshold, log } = stepCache;
  const { from, to } = activeLevels(stepCache, sampling);
  const estimator = new ChangeEstimator();
  let change: FloatTensor | undefined;
  let lastUncond: FloatTensor | undefined;

  async function recallOrRun<T extends { denoised: FloatTensor; uncond?: FloatTensor }>(
    x: FloatTensor,
    sigma: number,
    run: () => Promise<T>,
  ): Promise<T | { denoised: FloatTensor; uncond?: FloatTensor }> {
    if (sigma <= to) return run();
    const inputChange = sigma <= from ? estimator.inputChange(x) : undefined;
    const canReuse = estimator.canReuse(inputChange, threshold);
    if (sigma <= from) log?.(logLine(canReuse, sigma));
    if (canReuse && change) return { denoised: sum(x, change), ...(lastUncond && { uncond: lastUncond }) };
    const result = await run();
    change = difference(result.denoised, x);
    lastUncond = result.uncond;
    estimator.learn(x, result.denoised, inputChange);
    return result;
  }

  return {
    denoise: async (x, sigma) =>
      (await recallOrRun(x, sigma, async () => ({ denoised: await opened.denoise(x, sigma) }))).denoised,
    async denoiseBoth(x, sigma) {
      const { denoised, uncond } = await recallOrRun(x, sigma, () => opened.denoiseBoth(x, sigma));
      return { denoised, uncond: uncond ?? denoised };
    },
  };
}
