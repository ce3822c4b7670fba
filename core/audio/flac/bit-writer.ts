/** Writes bits, highest first. */
export class BitWriter {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;
  /** `#count` bits that do not fill a byte yet. */
  #rest = 0;
  #count = 0;

  /** The complete bytes so far. Shares memory with the writer. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes the lowest `count` bits (at most 32) of an integer, in two's complement. */
  write(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const bits = Math.min(8 - this.#count, left);
      left -= bits;
      const part = (value >> left) & ((1 << bits) - 1);
      this.#rest = (this.#rest << bits) | part;
      this.#count += bits;
      if (this.#count === 8) this.#push();
    }
  }

  /** Writes a unary number: `zeros` zero bits and a 1. */
  writeUnary(zeros: number): void {
    let left = zeros;
    for (; left >= 24; left -= 24) this.write(0, 24);
    this.write(1, left + 1);
  }

  /** Writes zeros up to the next byte boundary. */
  align(): void {
    if (this.#count > 0) this.write(0, 8 - this.#count);
  }

  #push(): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = this.#rest;
    this.#rest = 0;
    this.#count = 0;
  }
}
