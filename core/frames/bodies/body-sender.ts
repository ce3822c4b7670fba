import type { FrameChannel } from '../channels/frame-channel.ts';
import { FrameError, toFrameError } from '../errors.ts';

export type BodySource = ReadableStream<Uint8Array> | Blob | Uint8Array<ArrayBuffer> | ArrayBuffer;

/** Larger pieces are cut, so that no single message holds up the others on a channel. */
const LARGEST_CHUNK = 1024 * 1024;
/** From here on moving a buffer is cheaper than copying it. */
const WORTH_MOVING = 64 * 1024;

/**
 * The sending end of a body: reads the source only as fast as the receiver grants credit, and ends with `end` or
 * `error`. Pieces of 64 kB and more that fill their buffer are moved, not copied: a source gives its pieces away.
 */
export class BodySender {
  #credit: number;
  #granted: (() => void) | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #stopped: { reason: unknown } | undefined;

  /** `stallTimeout` (ms): how long to wait for credit before the receiver counts as gone; none without it. */
  constructor(
    private readonly channel: FrameChannel,
    private readonly id: number,
    credit: number,
    private readonly stallTimeout?: number,
  ) {
    this.#credit = credit;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#granted?.();
  }

  /** Nobody wants the rest: the source is cancelled and nothing more is sent. */
  stop(reason: unknown): void {
    if (this.#stopped) return;
    this.#stopped = { reason };
    this.#granted?.();
    this.#reader?.cancel(reason).catch(() => {});
  }

  /**
   * Settles when the body was sent, failed or was stopped; rejects only when the receiver stalled. `about` stands before
   * the reason of a failure.
   */
  async send(source: BodySource, about = ''): Promise<void> {
    if (source instanceof Blob && this.channel.carriesBlobs) {
      if (!this.#stopped) this.channel.send({ type: 'blob', id: this.id, blob: source });
      return;
    }
    this.#reader = toStream(source).getReader();
    if (this.#stopped) await this.#reader.cancel(this.#stopped.reason).catch(() => {});
    try {
      for (;;) {
        const next = await this.#reader.read();
        if (this.#stopped) return;
        if (next.done) break;
        await this.#sendPieces(next.value);
        if (this.#stopped) return;
      }
    } catch (cause) {
      if (this.#stopped) return;
      this.channel.send({ type: 'error', id: this.id, message: about + toFrameError(cause).message });
      this.stop(cause);
      if (cause instanceof Stalled) throw cause;
      return;
    }
    this.channel.send({ type: 'end', id: this.id });
  }

  async #sendPieces(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += LARGEST_CHUNK) {
      if (this.#credit <= 0) await this.#moreCredit();
      if (this.#stopped) return;
      const piece = owned(bytes.subarray(start, start + LARGEST_CHUNK));
      this.#credit -= piece.length;
      const transfer = piece.length >= WORTH_MOVING ? [piece.buffer] : [];
      this.channel.send({ type: 'chunk', id: this.id, bytes: piece }, transfer);
    }
  }

  #moreCredit(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer =
        this.stallTimeout === undefined
          ? undefined
          : setTimeout(
              () => reject(new Stalled(`nothing was read for ${this.stallTimeout} ms`)),
              this.stallTimeout,
            );
      this.#granted = () => {
        clearTimeout(timer);
        this.#granted = undefined;
        resolve();
      };
    });
  }
}

/** The receiver took nothing for too long: it is gone, whatever its locks say. */
export class Stalled extends FrameError {
  override name = 'Stalled';
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

/** A view that fills its (unshared) buffer: a clone of a part would copy the whole buffer. */
export function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : bytes.slice();
}
