const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads the arguments of a pickle's operations in order. All methods throw a RangeError at the end of the bytes. */
export class PickleBytes {
  readonly #view: DataView;

  /** @param at where the next argument begins */
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.bytes[this.skip(1)]!;
  }

  uint16(): number {
    return this.#view.getUint16(this.skip(2), true);
  }

  int32(): number {
    return this.#view.getInt32(this.skip(4), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.skip(4), true);
  }

  /** An integer of 64 bits. Above 2^53 the lowest digits are lost: no size can be so large. */
  uint64(): number {
    return Number(this.#view.getBigUint64(this.skip(8), true));
  }

  /** The only numbers of a pickle that are big endian. */
  float64(): number {
    return this.#view.getFloat64(this.skip(8));
  }

  /** An integer in two's complement. Above 2^53 the lowest digits are lost. */
  long(length: number): number {
    const at = this.skip(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.bytes[at + i]!);
    return Number(BigInt.asIntN(length * 8, value));
  }

  data(length: number): Uint8Array {
    const at = this.skip(length);
    return this.bytes.subarray(at, at + length);
  }

  text(length: number): string {
    return TEXT.decode(this.data(length));
  }

  /** A text that ends with a line feed, which is skipped. */
  line(): string {
    const end = this.bytes.indexOf(0x0a, this.at);
    if (end < 0) throw new RangeError('the end of the pickle');
    const text = this.text(end - this.at);
    this.skip(1);
    return text;
  }

  /** Returns the position of the skipped bytes. */
  skip(count: number): number {
    const at = this.at;
    if (count > this.bytes.length - at) throw new RangeError('the end of the pickle');
    this.at += count;
    return at;
  }
}
