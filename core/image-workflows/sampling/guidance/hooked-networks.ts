import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Hook, HookKeyframe, Hooks } from '../../values/hooks.ts';
import type { DiffusionNetwork } from '../../values/network.ts';

/** The networks of one run: the model's own, and with the adapters that prompts bring along. */
export class HookedNetworks {
  readonly #known = new Map<string, Promise<DiffusionNetwork>>();
  readonly #schedules = new Map<readonly HookKeyframe[], Schedule>();
  readonly #numbers = new Map<object, number>();
  #highest: number | undefined;
  #last = '';

  constructor(private readonly model: Pick<DiffusionModel, 'network' | 'sampling'>) {}

  /** Hooks of one key are one network. '' is the model's own. */
  keyOf(hooks: Hooks | undefined, sigma: number): string {
    this.#highest ??= sigma;
    return (hooks ?? [])
      .map((hook) => [this.#numberOf(hook.origin), this.#strengthOf(hook, sigma)] as const)
      .filter(([, strength]) => strength !== 0)
      .map((parts) => parts.join(' '))
      .join();
  }

  /** Those of the network that was used last come first: it is open, and seldom are two. */
  inOrder<T extends { adapters: string }>(groups: readonly T[]): T[] {
    const isOther = ({ adapters }: T) => Number(adapters !== this.#last);
    return [...groups].sort((a, b) => isOther(a) - isOther(b));
  }

  /** Throws where an adapter does not fit. */
  networkOf(hooks: Hooks | undefined, sigma: number): Promise<DiffusionNetwork> {
    const key = this.keyOf(hooks, sigma);
    this.#last = key;
    const known = this.#known.get(key) ?? this.#make(hooks ?? [], sigma);
    this.#known.set(key, known);
    return known;
  }

  async #make(hooks: Hooks, sigma: number): Promise<DiffusionNetwork> {
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
    const schedule = this.#schedules.get(keyframes) ?? new Schedule(keyframes, this.model.sampling.sigmaAt);
    this.#schedules.set(keyframes, schedule);
    return strengthModel * schedule.strengthAt(sigma, this.#highest!);
  }

  #numberOf(origin: object): number {
    const number = this.#numbers.get(origin) ?? this.#numbers.size;
    this.#numbers.set(origin, number);
    return number;
  }
}

/** Which of the keyframes counts, step by step. */
class Schedule {
  readonly #starts: number[];
  #current = 0;
  #steps = 0;
  #sigma: number | undefined;

  constructor(
    private readonly keyframes: readonly HookKeyframe[],
    sigmaAt: (percent: number) => number,
  ) {
    this.#starts = keyframes.map(({ startPercent }) => sigmaAt(startPercent));
  }

  strengthAt(sigma: number, highest: number): number {
    if (sigma !== this.#sigma) this.#step(sigma, highest);
    return this.keyframes[this.#current]!.strength;
  }

  #step(sigma: number, highest: number): void {
    this.#sigma = sigma;
    // Those before the first step of this run are owed nothing.
    const least = (place: number) => (this.#starts[place]! > highest ? 0 : this.keyframes[place]!.minSteps);
    if (this.#steps >= least(this.#current))
      for (let next = this.#current + 1; next < this.keyframes.length; next++) {
        if (this.#starts[next]! < sigma) break;
        this.#current = next;
        this.#steps = 0;
        if (least(next) > 0) break;
      }
    this.#steps++;
  }
}
