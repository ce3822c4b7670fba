import { combine, type FloatTensor } from '../float-tensor.ts';
import { seedSequence } from './seed-sequence.ts';
import { TorchGenerator } from './torch-generator.ts';

const POOL_SIZE = 24;
const DIGITS = 6;
/** Increments kept, in tensors; the rest is computed again from its seeds. */
const CACHE_SIZE = 45;

const rounded = (time: number): number => Number(time.toFixed(DIGITS));

interface Interval {
  readonly start: number;
  readonly end: number;
  readonly parent: Interval | undefined;
  readonly isLeft: boolean;
  /** Set when split. */
  halves?: { middle: number; seed: bigint; left: Interval; right: Interval };
  readonly key: number;
  readonly depth: number;
}

/**
 * One Brownian motion that can be asked for its increment over any interval, in any order, with the same answer: halving
 * intervals by Brownian bridges, each with a seed of its own (Li et al., "Scalable gradients for stochastic differential
 * equations", 2020, section 4; Kidger et al., "Efficient and accurate gradients for neural SDEs", 2021, section 4). Times
 * are told apart to 1e-6. Seeds and order of draws are those of the torchsde library, so that seeds keep their pictures.
 */
export class BrownianTree {
  readonly #seed: bigint;
  readonly #shape: readonly number[];
  readonly #root: Interval;
  readonly #whole: FloatTensor;
  readonly #cache = new Map<Interval, FloatTensor>();

  constructor(seed: bigint, shape: readonly number[], start: number, end: number) {
    this.#seed = seed;
    this.#shape = shape;
    this.#root = {
      start: rounded(start),
      end: rounded(end),
      parent: undefined,
      isLeft: true,
      key: 0,
      depth: 0,
    };
    const [word] = seedSequence(seed, [], POOL_SIZE, 1);
    this.#whole = combine([Math.sqrt(end - start), this.#normal(BigInt(word!))]);
  }

  /** W(to) - W(from), for start <= from <= to <= end (times outside are moved to the ends). */
  increment(from: number, to: number): FloatTensor {
    const clamped = (time: number) => rounded(Math.min(Math.max(time, this.#root.start), this.#root.end));
    const parts: Interval[] = [];
    this.#locate(this.#root, clamped(from), clamped(to), parts);
    const [first, ...rest] = parts.map((part) => this.#incrementOf(part));
    if (!first) return combine([0, this.#whole]);
    return rest.length === 0 ? first : combine([1, first], ...rest.map((part) => [1, part] as const));
  }

  #locate(interval: Interval, from: number, to: number, parts: Interval[]): void {
    if (from >= to) return;
    for (;;) {
      if (from === interval.start && to === interval.end) {
        parts.push(interval);
        return;
      }
      if (!interval.halves) this.#split(interval, from === interval.start ? to : from);
      const { middle, left, right } = interval.halves!;
      if (to <= middle) interval = left;
      else if (from >= middle) interval = right;
      else {
        this.#locate(left, from, middle, parts);
        interval = right;
        from = middle;
      }
    }
  }

  /** Halves again and again until `time` is an edge. */
  #split(interval: Interval, time: number): void {
    for (;;) {
      const middle = rounded(0.5 * (interval.end + interval.start));
      const { key, depth } = interval;
      const [word] = seedSequence(this.#seed, [key, depth], POOL_SIZE, 1);
      const left = {
        start: interval.start,
        end: middle,
        parent: interval,
        isLeft: true,
        key: 2 * key,
        depth: depth + 1,
      };
      const right = {
        start: middle,
        end: interval.end,
        parent: interval,
        isLeft: false,
        key: 2 * key + 1,
        depth: depth + 1,
      };
      interval.halves = { middle, seed: BigInt(word!), left, right };
      if (time === middle) return;
      interval = time > middle ? right : left;
    }
  }

  /** A Brownian bridge from the parent's increment: the half of it that the time share gives, plus noise. */
  #incrementOf(interval: Interval): FloatTensor {
    const { parent } = interval;
    if (!parent) return this.#whole;
    const known = this.#cache.get(interval);
    if (known) return known;
    const whole = this.#incrementOf(parent);
    const { middle, seed } = parent.halves!;
    const span = parent.end - parent.start;
    const [before, after] = [middle - parent.start, parent.end - middle];
    const noise = Math.sqrt((before * after) / span);
    const increment = interval.isLeft
      ? combine([before / span, whole], [noise, this.#normal(seed)])
      : combine([1 - before / span, whole], [-noise, this.#normal(seed)]);
    if (this.#cache.size >= CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(interval, increment);
    return increment;
  }

  #normal(seed: bigint): FloatTensor {
    return new TorchGenerator(seed).normal(this.#shape);
  }
}
