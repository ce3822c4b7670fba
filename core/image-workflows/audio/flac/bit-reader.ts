import { AudioUnreadable } from '../audio.ts';

/** Bits, highest first. Throws `SoundUnreadable` behind the end. */
export class BitReader {
  /** Bits of the byte at `#place` that were read. */
  #used = 0;
  #place: number;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
  ) {
    this.#place = start;
  }

  /** The byte that comes next, where none is read in part. */
  get place(): number {
    return this.#place;
  }

  /** At most 53 bits as a whole number. */
  read(count: number): number {
    let value = 0;
    for (let left = count; left > 0; ) {
      const taken = Math.min(8 - this.#used, left);
      const part = (this.#byte() >> (8 - this.#used - taken)) & ((1 << taken) - 1);
      value = value * (1 << taken) + part;
      this.#skip(taken);
      left -= taken;
    }
    return value;
  }

  /** In two's complement. */
  readSigned(count: number): number {
    const value = this.read(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** The zeros before the next one, which is read too. */
  readUnary(): number {
    for (let zeros = 0; ; ) {
      const rest = (this.#byte() << (24 + this.#used)) >>> 0;
      const leading = rest === 0 ? 8 - this.#used : Math.clz32(rest);
      zeros += leading;
      this.#skip(leading);
      if (rest === 0) continue;
      this.#skip(1);
      return zeros;
    }
  }

  align(): void {
    if (this.#used > 0) this.#skip(8 - this.#used);
  }

  #byte(): number {
    const byte = this.bytes[this.#place];
    if (byte === undefined) throw new AudioUnreadable('the FLAC file ends early: it is damaged');
    return byte;
  }

  /** At most to the end of the byte. */
  #skip(bits: number): void {
    this.#used += bits;
    if (this.#used < 8) return;
    this.#used = 0;
    this.#place++;
  }
}
