import { ModelCorrupt } from '#core/host';

const decoder = new TextDecoder();

/**
 * Reads little-endian values one after another from a stream of known size. Asking for bytes behind the end throws
 * `ModelCorrupt`, before anything is allocated for them. `need` is awaited only when the window lacks bytes, so that
 * vocabularies of 100,000 words are read without as many promises.
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
    /** Of the whole stream, bytes. */
    readonly size: number,
  ) {
    this.#reader = stream.getReader();
  }

  /** Bytes read so far. */
  get position(): number {
    return this.#before + this.#at;
  }

  get remaining(): number {
    return this.size - this.position;
  }

  has(count: number): boolean {
    return this.#window.length - this.#at >= count;
  }

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

  /** Steps over `count` bytes without holding them. */
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

  /** The next `bytes`, read by `read` at the offset given; they must be there (`has`, `need`). */
  take<T>(bytes: number, read: (view: DataView, offset: number) => T): T {
    const value = read(this.#view, this.#at);
    this.#at += bytes;
    return value;
  }

  text(bytes: number): string {
    const text = decoder.decode(this.#window.subarray(this.#at, this.#at + bytes));
    this.#at += bytes;
    return text;
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}

export function truncated(): ModelCorrupt {
  return new ModelCorrupt(
    'the GGUF file is truncated: it ends before what its header announces; download it again',
  );
}
