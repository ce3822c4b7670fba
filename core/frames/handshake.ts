import type { FrameChannel } from './channels/frame-channel.ts';
import { toFrameError } from './errors.ts';
import type { HelloFrame } from './grammar.ts';
import { agreedVersion, GRAMMAR_VERSIONS } from './version.ts';

/** Who a peer says it is: see `Hello`. */
export type Introduction = Pick<HelloFrame, 'build' | 'lock'>;

/** The greetings of one channel, as one side sees them. `met` settles with its greeting, or rejects with `VersionMismatch` or why it never came. */
export class Handshake {
  readonly met: Promise<HelloFrame>;
  #settle!: { resolve(hello: HelloFrame): void; reject(cause: Error): void };

  constructor(
    private readonly channel: FrameChannel,
    private readonly introduction: Introduction,
    private readonly ours: { version: number; oldest: number } = GRAMMAR_VERSIONS,
  ) {
    this.met = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.met.catch(() => {});
  }

  greet(): void {
    this.channel.send({ type: 'hello', ...this.ours, ...this.introduction });
  }

  /** Returns what makes further talk impossible, if anything. */
  receive(hello: HelloFrame): Error | undefined {
    try {
      agreedVersion(this.ours, hello);
    } catch (cause) {
      this.#settle.reject(toFrameError(cause));
      return toFrameError(cause);
    }
    this.#settle.resolve(hello);
    return undefined;
  }

  fail(cause: Error): void {
    this.#settle.reject(cause);
  }
}
