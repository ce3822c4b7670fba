/** Bytes that a receiver of a body lets the sender have under way: flat memory, and enough to keep both busy. */
export const WINDOW = 2 * 1024 * 1024;

/**
 * The receiving end of a body: a stream to read, whose reader's pace is told to the sender as credit. What arrived
 * before an end or a failure is still delivered before it.
 */
export class BodyReceiver {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #queue: Uint8Array<ArrayBuffer>[] = [];
  #wanted: (() => void) | undefined;
  #last: { error?: Error } | undefined;
  #closed = false;
  /** Taken by the reader, not yet told to the sender. */
  #owed = 0;
  readonly #grant: (bytes: number) => void;

  constructor({ grant, cancelled }: { grant(bytes: number): void; cancelled(reason: unknown): void }) {
    this.#grant = grant;
    this.stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          if (this.#deliver()) return;
          return new Promise<void>((resolve) => {
            this.#wanted = resolve;
          });
        },
        cancel: (reason) => {
          this.#closed = true;
          this.#queue = [];
          this.#wanted?.();
          if (!this.#last) cancelled(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** The sender has finished, well or not, and nothing more is expected. */
  get ended(): boolean {
    return this.#last !== undefined || this.#closed;
  }

  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.ended || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#wake();
  }

  end(): void {
    this.#last ??= {};
    this.#settle();
  }

  /** `now` drops what was not read yet, as an abort does. */
  fail(error: Error, now = false): void {
    if (now) this.#queue = [];
    this.#last ??= { error };
    this.#settle();
  }

  #settle(): void {
    if (this.#queue.length === 0) this.#finish();
    else this.#wake();
  }

  #wake(): void {
    if (!this.#wanted) return;
    const wanted = this.#wanted;
    this.#wanted = undefined;
    this.#deliver();
    wanted();
  }

  /** Gives the reader one piece, or the end when none is left. False when there is nothing yet. */
  #deliver(): boolean {
    const bytes = this.#queue.shift();
    if (!bytes) {
      if (this.#last) this.#finish();
      return this.#last !== undefined || this.#closed;
    }
    this.#controller.enqueue(bytes);
    this.#owed += bytes.length;
    if (this.#owed >= WINDOW / 4 && !this.#last) {
      this.#grant(this.#owed);
      this.#owed = 0;
    }
    // An end that is already known is told with the last piece: nobody may ever ask again.
    if (this.#queue.length === 0 && this.#last) this.#finish();
    return true;
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#last?.error) this.#controller.error(this.#last.error);
    else this.#controller.close();
    this.#wanted?.();
    this.#wanted = undefined;
  }
}
