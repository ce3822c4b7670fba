/**
 * MT19937 (Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
 * generator", 1998), with the seeding of its authors' `init_genrand`.
 */
const SIZE = 624;
const SHIFT = 397;

export class MersenneTwister {
  readonly #state = new Uint32Array(SIZE);
  #next = SIZE;

  /** Only the low 32 bits of `seed` count. */
  constructor(seed: number) {
    const state = this.#state;
    state[0] = seed >>> 0;
    for (let i = 1; i < SIZE; i++) {
      const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
      state[i] = Math.imul(1812433253, previous) + i;
    }
  }

  /** 32 random bits. */
  word(): number {
    if (this.#next === SIZE) this.#twist();
    let y = this.#state[this.#next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** 32 random bits as a number from 0 to below 1. */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  #twist(): void {
    const state = this.#state;
    const mixed = (i: number, next: number, far: number) => {
      const y = (state[i]! & 0x80000000) | (state[next]! & 0x7fffffff);
      state[i] = state[far]! ^ (y >>> 1) ^ (-(y & 1) & 0x9908b0df);
    };
    // Three loops, so that no index has to wrap around.
    for (let i = 0; i < SIZE - SHIFT; i++) mixed(i, i + 1, i + SHIFT);
    for (let i = SIZE - SHIFT; i < SIZE - 1; i++) mixed(i, i + 1, i + SHIFT - SIZE);
    mixed(SIZE - 1, 0, SHIFT - 1);
    this.#next = 0;
  }
}
