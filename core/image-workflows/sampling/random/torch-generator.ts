import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import { MersenneTwister } from './mersenne-twister.ts';

const BLOCK = 16;

/**
 * Gaussian noise equal to that of torch's CPU generator, to 3e-7 (Box and Muller, "A note on the generation of random
 * normal deviates", 1958). Only the low 32 bits of a seed count, as in torch.
 */
export class TorchGenerator {
  readonly #twister: MersenneTwister;
  /** The second number of the last pair, for the next short draw. */
  #spare: number | undefined;

  constructor(seed: bigint) {
    this.#twister = new MersenneTwister(Number(BigInt.asUintN(32, seed)));
  }

  normal(shape: readonly number[]): FloatTensor {
    const data = new Float32Array(elementCount(shape));
    if (data.length < BLOCK) for (let i = 0; i < data.length; i++) data[i] = this.#single();
    else this.#fill(data);
    return { shape, data };
  }

  /** A number from 0 to 1, as `torch.rand` draws it. */
  uniform(): number {
    return this.#uniform24();
  }

  /** The numbers from 0 to `count` - 1 in a random order, as `torch.randperm` has it: Durstenfeld's shuffle, 1964. */
  permutation(count: number): number[] {
    const order = Array.from({ length: count }, (_, at) => at);
    for (let at = 0; at < count - 1; at++) {
      const other = at + (this.#twister.word() % (count - at));
      [order[at], order[other]] = [order[other]!, order[at]!];
    }
    return order;
  }

  /** Draws of 16 or more: uniform numbers of 24 bits, transformed in blocks of 16. An incomplete last block is drawn again. */
  #fill(data: Float32Array): void {
    for (let i = 0; i < data.length; i++) data[i] = this.#uniform24();
    for (let start = 0; start + BLOCK <= data.length; start += BLOCK) transform(data, start);
    if (data.length % BLOCK === 0) return;
    const last = data.length - BLOCK;
    for (let i = last; i < data.length; i++) data[i] = this.#uniform24();
    transform(data, last);
  }

  /** Short draws: pairs from uniform numbers of 53 bits. */
  #single(): number {
    if (this.#spare !== undefined) {
      const spare = this.#spare;
      this.#spare = undefined;
      return spare;
    }
    const angle = 2 * Math.PI * this.#uniform53();
    const radius = Math.sqrt(-2 * Math.log1p(-this.#uniform53()));
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  #uniform24(): number {
    return (this.#twister.word() & 0xffffff) / 0x1000000;
  }

  #uniform53(): number {
    const high = this.#twister.word() & 0x1fffff;
    return (high * 2 ** 32 + this.#twister.word()) / 2 ** 53;
  }
}

function transform(data: Float32Array, start: number): void {
  for (let i = start; i < start + BLOCK / 2; i++) {
    const radius = Math.sqrt(-2 * Math.log(1 - data[i]!));
    const angle = 2 * Math.PI * data[i + BLOCK / 2]!;
    data[i] = radius * Math.cos(angle);
    data[i + BLOCK / 2] = radius * Math.sin(angle);
  }
}
