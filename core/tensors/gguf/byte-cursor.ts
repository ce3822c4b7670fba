import { ModelCorrupt } from '#core/host';

const decoder = new TextDecoder();

/**
 * Reads little-endian values from a stream of known size. Callers check `has` and await `need` only when bytes are
 * missing. So a vocabulary of 100,000 words does not take as many promises.
 */
export class ByteCursor {
  #window = new Uint8Array(0);
  #view = new DataView(this.#window.buffer);
  #at = 0;
  /** Bytes of the stream before the window. */
  #before = 0;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(
    stream: ReadableStream<Uint8Array>,
    /** The bytes of the complete stream. */
    readonly size: number,
  ) {
    this.#reader = stream.getReader();
  }

  /** The number of bytes read. */
  get position(): number {
    return this.#before + this.#at;
  }

  get remaining(): number {
    return this.size - this.position;
  }

  /** Whether the next `count` bytes are in memory. */
  has(count: number): boolean {
    return this.#window.length - this.#at >= count;
  }

  /**
   * Loads the next `count` bytes.
   * @throws ModelCorrupt when the stream ends before them; nothing is allocated then
   */
  async need(count: number): Promise<void> {
    if (count > this.remaining) throw truncated();
    const parts = [this.#window.subarray(this.#at)];
    let length = parts[0]!.length;
    while (length < count) {
      const { done, value } = await this.#reader.read();
      if (done) throw truncated();
      parts.push(value as Uint8Array<ArrayBuffer>);
      length += value.length;
    }
    this.#before += this.#at;
    this.#at = 0;
    this.#window = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      this.#window.set(part, at);
      at += part.length;
    }
    this.#view = new DataView(this.#window.buffer);
  }

  /** Skips `count` bytes without keeping them in memory. */
  async skip(count: number): Promise<void> {
    if (count > this.remaining) throw truncated();
    let left = count;
    while (!this.has(left)) {
      left -= this.#window.length - this.#at;
      this.#before += this.#window.length;
      this.#at = 0;
      const { done, value } = await this.#reader.read();
      if (done) throw truncated();
      this.#window = value as Uint8Array<ArrayBuffer>;
      this.#view = new DataView(this.#window.buffer, this.#window.byteOffset, this.#window.byteLength);
    }
    this.#at += left;
  }

  /** Reads a value of `bytes` bytes, which must be in memory (`has`, `need`). */
  take<T>(bytes: number, read: (view: DataView, offset: number) => T): T {
    const value = read(this.#view, this.#at);
    this.#at += bytes;
    return value;
  }

  /** Reads a UTF-8 text of `bytes` bytes, which must be in memory (`has`, `need`). */
  text(bytes: number): string {
    const text = decoder.decode(this.#window.subarray(this.#at, this.#at + bytes));
    this.#at += bytes;
    return text;
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}

/** The error for a file that is shorter than its header says. */
export function truncated(): ModelCorrupt {
  return new ModelCorrupt(
    'the GGUF file is truncated: it ends before what its header announces; download it again',
  );
}
