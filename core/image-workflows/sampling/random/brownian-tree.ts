import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import { seedSequence } from './seed-sequence.ts';
import { TorchGenerator } from './torch-generator.ts';

const POOL_SIZE = 24;
const DIGITS = 6;
/** The number of cached points. A step starts where the last one ended, with one or two stages in between. */
const MAX_CACHED = 6;

const rounded = (time: number): number => Number(time.toFixed(DIGITS));

/**
 * A sampled Brownian motion W. Its increments over intervals do not depend on the order of the calls. Intervals are
 * halved by Brownian bridges, each with a seed of its own. Sources: Li et al., "Scalable gradients for stochastic
 * differential equations", 2020, section 4. Kidger et al., "Efficient and accurate gradients for neural SDEs", 2021,
 * section 4.
 *
 * Times are rounded to 1e-6. Seeds and the order of draws are those of the torchsde library, so that a seed gives the
 * same image as there. A point of the path costs about 20 draws, one for each halving. Sums are in double precision.
 */
export class BrownianTree {
  readonly #seed: bigint;
  readonly #shape: readonly number[];
  readonly #start: number;
  readonly #end: number;
  /** W(end) - W(start). */
  readonly #total: Float64Array;
  /** W(time) - W(start) by time. */
  readonly #points = new Map<number, Float64Array>();
  /** The noise of the last descent by depth: neighboring points share the first part of it. */
  readonly #noises: { key: number; noise: Float32Array }[] = [];

  constructor(seed: bigint, shape: readonly number[], start: number, end: number) {
    this.#seed = seed;
    this.#shape = shape;
    this.#start = rounded(start);
    this.#end = rounded(end);
    const scale = Math.sqrt(end - start);
    this.#total = Float64Array.from(this.#normal(0), (value) => Math.fround(scale * value));
  }

  /** W(to) - W(from). Times are clamped to [start, end]. */
  increment(from: number, to: number): FloatTensor {
    const clamped = (time: number) => rounded(Math.min(Math.max(time, this.#start), this.#end));
    const [before, after] = [this.#point(clamped(from)), this.#point(clamped(to))];
    const data = new Float32Array(elementCount(this.#shape));
    for (let i = 0; i < data.length; i++) data[i] = after[i]! - before[i]!;
    return { shape: this.#shape, data };
  }

  /** W(time) - W(start). */
  #point(time: number): Float64Array {
    const cached = this.#points.get(time);
    if (cached) return cached;
    const point = this.#descend(time);
    if (this.#points.size >= MAX_CACHED) this.#points.delete(this.#points.keys().next().value!);
    this.#points.set(time, point);
    return point;
  }

  /** Halves the interval around `time` until it begins or ends there. */
  #descend(time: number): Float64Array {
    const point = new Float64Array(this.#total.length);
    if (time <= this.#start) return point;
    if (time >= this.#end) return this.#total;
    const rest = this.#total.slice();
    let [start, end, key] = [this.#start, this.#end, 0];
    for (let depth = 0; ; depth++) {
      const middle = rounded(0.5 * (end + start));
      const span = end - start;
      // Brownian bridge: the expected share of the increment, plus noise.
      const share = (middle - start) / span;
      const scale = Math.sqrt(((middle - start) * (end - middle)) / span);
      const last = this.#noises[depth];
      const noise = last?.key === key ? last.noise : this.#normal(key, depth);
      this.#noises[depth] = { key, noise };
      if (time < middle) {
        for (let i = 0; i < rest.length; i++) rest[i] = share * rest[i]! + scale * noise[i]!;
        end = middle;
        key = 2 * key;
        continue;
      }
      for (let i = 0; i < rest.length; i++) {
        const left = share * rest[i]! + scale * noise[i]!;
        point[i] = point[i]! + left;
        rest[i] = rest[i]! - left;
      }
      if (time === middle) return point;
      start = middle;
      key = 2 * key + 1;
    }
  }

  /** The noise of one halving, by its position in the tree. Without a depth, the noise of the total increment. */
  #normal(key: number, depth?: number): Float32Array {
    const [word] = seedSequence(this.#seed, depth === undefined ? [] : [key, depth], POOL_SIZE, 1);
    return new TorchGenerator(BigInt(word!)).normal(this.#shape).data;
  }
}
