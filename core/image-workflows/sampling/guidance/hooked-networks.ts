import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Hook, HookKeyframe, Hooks } from '../../values/hooks.ts';
import type { DiffusionNetwork } from '../../values/network.ts';

/** The networks of one run: the model's own, and those with the adapters of prompts. */
export class HookedNetworks {
  readonly #networks = new Map<string, Promise<DiffusionNetwork>>();
  readonly #schedules = new Map<readonly HookKeyframe[], KeyframeSchedule>();
  readonly #numbers = new Map<object, number>();
  /** The noise level of the first step. */
  #highest: number | undefined;
  #lastKey = '';

  constructor(private readonly model: Pick<DiffusionModel, 'network' | 'sampling'>) {}

  /** Hooks with equal keys use the same network. '' is the model's own. */
  keyOf(hooks: Hooks | undefined, sigma: number): string {
    this.#highest ??= sigma;
    return (hooks ?? [])
      .map((hook) => [this.#numberOf(hook.origin), this.#strengthOf(hook, sigma)] as const)
      .filter(([, strength]) => strength !== 0)
      .map((parts) => parts.join(' '))
      .join();
  }

  /** Sorts groups of the last used network to the front: that one is open, and usually only one fits into memory. */
  inOrder<T extends { adapters: string }>(groups: readonly T[]): T[] {
    const isOther = ({ adapters }: T) => Number(adapters !== this.#lastKey);
    return [...groups].sort((a, b) => isOther(a) - isOther(b));
  }

  /** Rejects when an adapter does not fit. */
  networkOf(hooks: Hooks | undefined, sigma: number): Promise<DiffusionNetwork> {
    const key = this.keyOf(hooks, sigma);
    this.#lastKey = key;
    const network = this.#networks.get(key) ?? this.#applyHooks(hooks ?? [], sigma);
    this.#networks.set(key, network);
    return network;
  }

  async #applyHooks(hooks: Hooks, sigma: number): Promise<DiffusionNetwork> {
    let { network } = this.model;
    for (const hook of hooks) {
      const strength = this.#strengthOf(hook, sigma);
      if (strength === 0) continue;
      if (!network.withAdapter) throw new Error('the weights of this model cannot be changed');
      network = await network.withAdapter(hook.adapter, strength);
    }
    return network;
  }

  #strengthOf({ keyframes, strengthModel }: Hook, sigma: number): number {
    if (keyframes.length === 0) return strengthModel;
    const schedule =
      this.#schedules.get(keyframes) ?? new KeyframeSchedule(keyframes, this.model.sampling.sigmaAt);
    this.#schedules.set(keyframes, schedule);
    return strengthModel * schedule.strengthAt(sigma, this.#highest!);
  }

  #numberOf(origin: object): number {
    const number = this.#numbers.get(origin) ?? this.#numbers.size;
    this.#numbers.set(origin, number);
    return number;
  }
}

/** Selects the active keyframe step by step. */
class KeyframeSchedule {
  readonly #starts: number[];
  #current = 0;
  /** The steps since the current keyframe became active. */
  #steps = 0;
  #sigma: number | undefined;

  constructor(
    private readonly keyframes: readonly HookKeyframe[],
    sigmaAt: (percent: number) => number,
  ) {
    this.#starts = keyframes.map(({ startPercent }) => sigmaAt(startPercent));
  }

  /** @param highest the noise level of the first step. */
  strengthAt(sigma: number, highest: number): number {
    if (sigma !== this.#sigma) this.#advance(sigma, highest);
    return this.keyframes[this.#current]!.strength;
  }

  #advance(sigma: number, highest: number): void {
    this.#sigma = sigma;
    // A keyframe from before the first step need not stay active for its minimum of steps.
    const minSteps = (index: number) =>
      this.#starts[index]! > highest ? 0 : this.keyframes[index]!.minSteps;
    if (this.#steps >= minSteps(this.#current))
      for (let next = this.#current + 1; next < this.keyframes.length; next++) {
        if (this.#starts[next]! < sigma) break;
        this.#current = next;
        this.#steps = 0;
        if (minSteps(next) > 0) break;
      }
    this.#steps++;
  }
}
