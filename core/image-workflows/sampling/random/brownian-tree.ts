import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import { seedSequence } from './seed-sequence.ts';
import { TorchGenerator } from './torch-generator.ts';

const POOL_SIZE = 24;
const DIGITS = 6;
/** Places of the path that are kept: a step asks from where the last one ended, with a stage or two in between. */
const KEPT = 6;

const rounded = (time: number): number => Number(time.toFixed(DIGITS));

/**
 * One Brownian motion that can be asked for its increment over any interval, in any order, with the same answer: halving
 * intervals by Brownian bridges, each with a seed of its own (Li et al., "Scalable gradients for stochastic differential
 * equations", 2020, section 4; Kidger et al., "Efficient and accurate gradients for neural SDEs", 2021, section 4). Times
 * are told apart to 1e-6. Seeds and order of draws are those of the torchsde library, so that seeds keep their pictures.
 *
 * An increment is the difference of two places of the path, and a place costs one draw a halving, about 20: that is what
 * such a sampler's step costs beside the network. Sums are in double precision.
 */
export class BrownianTree {
  readonly #seed: bigint;
  readonly #shape: readonly number[];
  readonly #start: number;
  readonly #end: number;
  /** From start to end. */
  readonly #whole: Float64Array;
  readonly #places = new Map<number, Float64Array>();
  /** The noise of the last walk by depth: neighbours share the beginning of their ways. */
  readonly #noises: { key: number; noise: Float32Array }[] = [];

  constructor(seed: bigint, shape: readonly number[], start: number, end: number) {
    this.#seed = seed;
    this.#shape = shape;
    this.#start = rounded(start);
    this.#end = rounded(end);
    const scale = Math.sqrt(end - start);
    this.#whole = Float64Array.from(this.#normal(0), (value) => Math.fround(scale * value));
  }

  /** W(to) - W(from), for start <= from <= to <= end (times outside are moved to the ends). */
  increment(from: number, to: number): FloatTensor {
    const clamped = (time: number) => rounded(Math.min(Math.max(time, this.#start), this.#end));
    const [before, after] = [this.#place(clamped(from)), this.#place(clamped(to))];
    const data = new Float32Array(elementCount(this.#shape));
    for (let i = 0; i < data.length; i++) data[i] = after[i]! - before[i]!;
    return { shape: this.#shape, data };
  }

  /** W(time) - W(start). */
  #place(time: number): Float64Array {
    const known = this.#places.get(time);
    if (known) return known;
    const place = this.#walk(time);
    if (this.#places.size >= KEPT) this.#places.delete(this.#places.keys().next().value!);
    this.#places.set(time, place);
    return place;
  }

  /** Halves the interval around `time` until it is an edge. */
  #walk(time: number): Float64Array {
    const place = new Float64Array(this.#whole.length);
    if (time <= this.#start) return place;
    if (time >= this.#end) return this.#whole;
    const rest = this.#whole.slice();
    let [start, end, key] = [this.#start, this.#end, 0];
    for (let depth = 0; ; depth++) {
      const middle = rounded(0.5 * (end + start));
      const span = end - start;
      // A bridge: the share of the increment that the time gives, plus noise.
      const share = (middle - start) / span;
      const scale = Math.sqrt(((middle - start) * (end - middle)) / span);
      const known = this.#noises[depth];
      const noise = known?.key === key ? known.noise : this.#normal(key, depth);
      this.#noises[depth] = { key, noise };
      if (time < middle) {
        for (let i = 0; i < rest.length; i++) rest[i] = share * rest[i]! + scale * noise[i]!;
        end = middle;
        key = 2 * key;
        continue;
      }
      for (let i = 0; i < rest.length; i++) {
        const left = share * rest[i]! + scale * noise[i]!;
        place[i] = place[i]! + left;
        rest[i] = rest[i]! - left;
      }
      if (time === middle) return place;
      start = middle;
      key = 2 * key + 1;
    }
  }

  /** The noise of the halving at a place of the tree; without a depth, that of the whole. */
  #normal(key: number, depth?: number): Float32Array {
    const [word] = seedSequence(this.#seed, depth === undefined ? [] : [key, depth], POOL_SIZE, 1);
    return new TorchGenerator(BigInt(word!)).normal(this.#shape).data;
  }
}
