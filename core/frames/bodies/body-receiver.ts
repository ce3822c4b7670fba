/** Bytes of a body that may be on their way at once: memory stays flat, and both sides stay busy. */
export const WINDOW = 2 * 1024 * 1024;

/** How a receiver reaches the sender. */
export interface BodyReceiverOptions {
  /** The reader has taken bytes: as many more may be sent. */
  grant(bytes: number): void;
  /** The reader has cancelled before the body was complete. */
  cancelled(reason: unknown): void;
}

/**
 * The receiving end of a body: a stream whose reader's pace reaches the sender as credit. Chunks that arrived before the
 * end or an error are read before it.
 */
export class BodyReceiver {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #grant: (bytes: number) => void;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #queue: Uint8Array<ArrayBuffer>[] = [];
  /** Resolves the reader's pending pull. */
  #resolvePull: (() => void) | undefined;
  /** How the sender ended the body. */
  #outcome: { error?: Error } | undefined;
  /** Whether the stream is closed, failed or cancelled. */
  #isClosed = false;
  /** Bytes that the reader has taken and that are not granted yet. */
  #ungranted = 0;

  constructor({ grant, cancelled }: BodyReceiverOptions) {
    this.#grant = grant;
    this.stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          if (this.#deliver()) return;
          return new Promise<void>((resolve) => {
            this.#resolvePull = resolve;
          });
        },
        cancel: (reason) => {
          this.#isClosed = true;
          this.#queue = [];
          this.#resolvePull?.();
          if (!this.#outcome) cancelled(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Whether nothing more is expected: the sender has ended the body, or the reader has cancelled. */
  get ended(): boolean {
    return this.#outcome !== undefined || this.#isClosed;
  }

  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.ended || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#deliverToPull();
  }

  /** Ends the stream after the chunks that have arrived: the body is complete. */
  end(): void {
    this.#outcome ??= {};
    this.#settle();
  }

  /**
   * Fails the stream: the body will not become complete.
   * @param dropsUnread drops the chunks that were not read yet, as an abort does
   */
  fail(error: Error, dropsUnread = false): void {
    if (dropsUnread) this.#queue = [];
    this.#outcome ??= { error };
    this.#settle();
  }

  #settle(): void {
    if (this.#queue.length === 0) this.#closeStream();
    else this.#deliverToPull();
  }

  #deliverToPull(): void {
    if (!this.#resolvePull) return;
    const resolvePull = this.#resolvePull;
    this.#resolvePull = undefined;
    this.#deliver();
    resolvePull();
  }

  /** Gives the reader one chunk, or the end after the last chunk. Returns false when neither has arrived yet. */
  #deliver(): boolean {
    const bytes = this.#queue.shift();
    if (!bytes) {
      if (this.#outcome) this.#closeStream();
      return this.#outcome !== undefined || this.#isClosed;
    }
    this.#controller.enqueue(bytes);
    this.#ungranted += bytes.length;
    // Grant a quarter of the window at a time: that takes few frames, and the sender always has credit left.
    if (this.#ungranted >= WINDOW / 4 && !this.#outcome) {
      this.#grant(this.#ungranted);
      this.#ungranted = 0;
    }
    // Close the stream together with the last chunk: the reader may never pull again.
    if (this.#queue.length === 0 && this.#outcome) this.#closeStream();
    return true;
  }

  #closeStream(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#outcome?.error) this.#controller.error(this.#outcome.error);
    else this.#controller.close();
    this.#resolvePull?.();
    this.#resolvePull = undefined;
  }
}
