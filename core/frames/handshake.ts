import { Deferred } from '#core/base';
import type { FrameChannel } from './channels/frame-channel.ts';
import { toFrameError } from './errors.ts';
import type { HelloFrame } from './grammar.ts';
import type { ServerReport } from './server-report.ts';
import { agreedVersion, GRAMMAR_VERSIONS, type VersionRange } from './version.ts';

/** Facts about a peer for its other side, see `HelloFrame`. */
export type Introduction = Pick<HelloFrame, 'build' | 'lock'>;

/** Exchanges the `hello` frames of one channel, for one side. */
export class Handshake {
  /** Resolves with the other side's `hello`. Rejects with `VersionMismatch`, or with the cause that it never came. */
  readonly done: Promise<HelloFrame>;
  readonly #done = new Deferred<HelloFrame>();

  constructor(
    private readonly channel: FrameChannel,
    private readonly introduction: Introduction,
    private readonly ours: VersionRange = GRAMMAR_VERSIONS,
  ) {
    this.done = this.#done.promise;
    // Nobody may be waiting: without this handler a rejection would count as unhandled.
    this.done.catch(() => {});
  }

  /** Sends our `hello`. */
  greet(report?: ServerReport): void {
    this.channel.send({ type: 'hello', ...this.ours, ...this.introduction, ...(report && { report }) });
  }

  /** Takes the other side's `hello`. Returns the error that rules out further frames, if there is one. */
  receive(hello: HelloFrame): Error | undefined {
    try {
      agreedVersion(this.ours, hello);
    } catch (cause) {
      const error = toFrameError(cause);
      this.#done.reject(error);
      return error;
    }
    this.#done.resolve(hello);
    return undefined;
  }

  /** Rejects `done`, if it has not settled. */
  fail(cause: Error): void {
    this.#done.reject(cause);
  }
}
