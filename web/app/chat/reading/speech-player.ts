/** Samples a second of the voices. */
const RATE = 24_000;

/** Plays samples as they arrive: integers of 16 bits, one channel, 24,000 a second. */
export class SpeechPlayer {
  readonly #context = new AudioContext();
  /** The time at which everything so far has been heard. */
  #end = 0;
  /** The first half of a sample that was cut in two. */
  #half: number | undefined;

  /** Whether this browser plays samples. */
  static get isAvailable(): boolean {
    return typeof AudioContext === 'function';
  }

  /** Plays what a stream brings after what is playing. Resolves when the stream has ended. */
  async add(stream: ReadableStream<Uint8Array>): Promise<void> {
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) this.#play(next.value);
    this.#half = undefined;
  }

  /** Resolves when everything was heard, or `close` was called. */
  async finished(signal: AbortSignal): Promise<void> {
    while (this.#end > this.#context.currentTime && !signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** Stops at once. */
  close(): void {
    if (this.#context.state !== 'closed') void this.#context.close();
  }

  #play(chunk: Uint8Array): void {
    const bytes = this.#half === undefined ? chunk : withFirst(this.#half, chunk);
    const count = Math.floor(bytes.length / 2);
    this.#half = bytes.length % 2 === 1 ? bytes.at(-1) : undefined;
    if (count === 0) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const buffer = this.#context.createBuffer(1, count, RATE);
    buffer.copyToChannel(
      Float32Array.from({ length: count }, (_, at) => view.getInt16(at * 2, true) / 32_768),
      0,
    );
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    this.#end = Math.max(this.#end, this.#context.currentTime);
    source.start(this.#end);
    this.#end += buffer.duration;
  }
}

function withFirst(byte: number, chunk: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(chunk.length + 1);
  bytes[0] = byte;
  bytes.set(chunk, 1);
  return bytes;
}
