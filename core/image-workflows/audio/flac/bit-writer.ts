/** Bits, highest first, into bytes that grow. */
export class BitWriter {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;
  /** Bits that do not fill a byte yet. */
  #rest = 0;
  #count = 0;

  /** Whole bytes so far. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The lowest `count` bits of a whole number, at most 32; negative ones in two's complement. */
  write(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const taken = Math.min(8 - this.#count, left);
      left -= taken;
      const part = (value >> left) & ((1 << taken) - 1);
      this.#rest = (this.#rest << taken) | part;
      this.#count += taken;
      if (this.#count === 8) this.#push();
    }
  }

  /** So many zeros and a one. */
  writeUnary(zeros: number): void {
    let left = zeros;
    for (; left >= 24; left -= 24) this.write(0, 24);
    this.write(1, left + 1);
  }

  /** Zeros up to the next byte. */
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
