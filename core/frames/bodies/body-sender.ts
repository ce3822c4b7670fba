import type { FrameChannel } from '../channels/frame-channel.ts';
import { FrameError, toFrameError } from '../errors.ts';

/** A body to send. Arrays and chunks of streams are given away: their memory may be transferred. */
export type BodySource = ReadableStream<Uint8Array> | Blob | Uint8Array<ArrayBuffer> | ArrayBuffer;

/** Bytes. Larger chunks are split, so that no single message holds up the others on a channel. */
const MAX_CHUNK = 1024 * 1024;
/** Bytes. From this size on, a transfer of the buffer is cheaper than a copy. */
const MIN_TRANSFER = 64 * 1024;

/** The receiver took nothing for too long. It counts as gone, whatever its locks say. */
export class Stalled extends FrameError {
  override name = 'Stalled';
}

/**
 * The sending end of a body. It reads its source only as fast as the receiver grants credit, and ends with an `end` or
 * `error` frame.
 */
export class BodySender {
  #credit: number;
  #resolveCredit: (() => void) | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #stop: { reason: unknown } | undefined;

  /**
   * @param credit bytes that the receiver has granted so far
   * @param stallTimeout milliseconds to wait for more credit; undefined waits without a limit
   */
  constructor(
    private readonly channel: FrameChannel,
    private readonly id: number,
    credit: number,
    private readonly stallTimeout?: number,
  ) {
    this.#credit = credit;
  }

  /** The receiver has room for more bytes. */
  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#resolveCredit?.();
  }

  /** Cancels the source. No further frame is sent. */
  stop(reason: unknown): void {
    if (this.#stop) return;
    this.#stop = { reason };
    this.#resolveCredit?.();
    this.#reader?.cancel(reason).catch(() => {});
  }

  /**
   * Sends a body. Resolves when it was sent, has failed, or was stopped. Rejects only with `Stalled`.
   * @param errorPrefix precedes the message of an error in its frame
   */
  async send(source: BodySource, errorPrefix = ''): Promise<void> {
    if (source instanceof Blob && this.channel.carriesBlobs) {
      if (!this.#stop) this.channel.send({ type: 'blob', id: this.id, blob: source });
      return;
    }
    this.#reader = toStream(source).getReader();
    if (this.#stop) await this.#reader.cancel(this.#stop.reason).catch(() => {});
    try {
      for (;;) {
        const next = await this.#reader.read();
        if (this.#stop) return;
        if (next.done) break;
        await this.#sendChunks(next.value);
        if (this.#stop) return;
      }
    } catch (cause) {
      if (this.#stop) return;
      this.channel.send({ type: 'error', id: this.id, message: errorPrefix + toFrameError(cause).message });
      this.stop(cause);
      if (cause instanceof Stalled) throw cause;
      return;
    }
    this.channel.send({ type: 'end', id: this.id });
  }

  async #sendChunks(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += MAX_CHUNK) {
      if (this.#credit <= 0) await this.#waitForCredit();
      if (this.#stop) return;
      const chunk = withOwnBuffer(bytes.subarray(start, start + MAX_CHUNK));
      this.#credit -= chunk.length;
      const transfer = chunk.length >= MIN_TRANSFER ? [chunk.buffer] : [];
      this.channel.send({ type: 'chunk', id: this.id, bytes: chunk }, transfer);
    }
  }

  #waitForCredit(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer =
        this.stallTimeout === undefined
          ? undefined
          : setTimeout(
              () => reject(new Stalled(`nothing was read for ${this.stallTimeout} ms`)),
              this.stallTimeout,
            );
      this.#resolveCredit = () => {
        clearTimeout(timer);
        this.#resolveCredit = undefined;
        resolve();
      };
    });
  }
}

function toStream(source: BodySource): ReadableStream<Uint8Array> {
  if (source instanceof ReadableStream) return source as ReadableStream<Uint8Array>;
  if (source instanceof Blob) return source.stream();
  const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** The same bytes in an unshared buffer of their own. A structured clone of a view would copy all of its buffer. */
export function withOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : bytes.slice();
}
