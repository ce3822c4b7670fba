/** The body is not a valid multipart form. */
export class MultipartError extends Error {
  override name = 'MultipartError';
}

/** Searches incoming bytes for marks. It reads no more chunks from its source than it needs. */
export class ByteScanner {
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(private readonly source: AsyncIterator<Uint8Array<ArrayBuffer>>) {}

  /** @throws MultipartError if fewer bytes are left */
  async peek(length: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#buffer.length < length) await this.#readChunk();
    return this.#buffer.subarray(0, length);
  }

  /** @throws MultipartError if fewer bytes are left */
  async take(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = await this.peek(length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  /**
   * Takes everything up to `mark`, and drops the mark.
   * @throws MultipartError if the mark does not occur
   */
  async *until(mark: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (;;) {
      const at = indexOf(this.#buffer, mark);
      if (at >= 0) {
        const chunk = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + mark.length);
        if (chunk.length > 0) yield chunk;
        return;
      }
      // The last bytes may be the beginning of the mark.
      const safe = this.#buffer.length - mark.length + 1;
      if (safe > 0) {
        const chunk = this.#buffer.subarray(0, safe);
        this.#buffer = this.#buffer.subarray(safe);
        yield chunk;
      }
      await this.#readChunk();
    }
  }

  async #readChunk(): Promise<void> {
    const { done, value } = await this.source.next();
    if (done) throw new MultipartError('the form ends too early');
    const buffer = new Uint8Array(this.#buffer.length + value.length);
    buffer.set(this.#buffer);
    buffer.set(value, this.#buffer.length);
    this.#buffer = buffer;
  }
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  const last = bytes.length - mark.length;
  const first = mark[0]!;
  for (let at = bytes.indexOf(first); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let length = 1;
    while (length < mark.length && bytes[at + length] === mark[length]) length++;
    if (length === mark.length) return at;
  }
  return -1;
}
