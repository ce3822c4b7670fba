import { AudioUnreadable } from '../audio-unreadable.ts';

/** Reads bits, highest first. Throws `AudioUnreadable` beyond the end. */
export class BitReader {
  /** Bits of the byte at `#position` that were read already. */
  #used = 0;
  #position: number;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
  ) {
    this.#position = start;
  }

  /** The offset of the next byte. Only meaningful between two bytes. */
  get position(): number {
    return this.#position;
  }

  /** Reads an unsigned integer of at most 53 bits. */
  read(count: number): number {
    let value = 0;
    for (let left = count; left > 0; ) {
      const bits = Math.min(8 - this.#used, left);
      const part = (this.#byte() >> (8 - this.#used - bits)) & ((1 << bits) - 1);
      value = value * (1 << bits) + part;
      this.#skip(bits);
      left -= bits;
    }
    return value;
  }

  /** Reads an integer in two's complement. */
  readSigned(count: number): number {
    const value = this.read(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** Reads a unary number: counts the zero bits before the next 1, and reads that 1 too. */
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

  /** Skips to the next byte boundary. */
  align(): void {
    if (this.#used > 0) this.#skip(8 - this.#used);
  }

  #byte(): number {
    const byte = this.bytes[this.#position];
    if (byte === undefined) throw new AudioUnreadable('the FLAC file ends early: it is damaged');
    return byte;
  }

  /** Skips bits of the current byte. */
  #skip(bits: number): void {
    this.#used += bits;
    if (this.#used < 8) return;
    this.#used = 0;
    this.#position++;
  }
}
