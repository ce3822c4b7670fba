import { Deferred } from '#core/base';
import type { FrameChannel } from './channels/frame-channel.ts';
import { PeerLost } from './errors.ts';
import type { Frame, HelloFrame } from './grammar.ts';
import { Handshake, type Introduction } from './handshake.ts';
import type { ServerReport } from './server-report.ts';

/** Frames about exchanges. The peer itself handles those about the channel. */
export type ExchangeFrame = Exclude<Frame, { type: 'hello' | 'bye' | 'ping' }>;

/** One end of a channel: greets the other side, answers its pings, and knows when it is gone. */
export abstract class FramePeer {
  /** Resolves with the other side's `hello`. Rejects when it has no common version or is gone. */
  readonly handshakeDone: Promise<HelloFrame>;
  /** Resolves with the cause when the other side is gone and all exchanges have ended. Never rejects. */
  readonly gone: Promise<Error>;
  readonly #gone = new Deferred<Error>();
  #lossCause: Error | undefined;
  protected readonly handshake: Handshake;

  constructor(
    protected readonly channel: FrameChannel,
    { build, lock }: Introduction,
  ) {
    this.gone = this.#gone.promise;
    this.handshake = new Handshake(channel, { build, lock });
    this.handshakeDone = this.handshake.done;
  }

  /** How many exchanges are running. */
  abstract get running(): number;
  /** How many requests a restart of this side would cut off, as `pong` reports it. */
  protected abstract reportedRequests(): number;
  /** The facts about this side, if they have changed since the last call. */
  protected changedReport?(): ServerReport | undefined;
  protected abstract receive(frame: ExchangeFrame): void;
  /** Ends all exchanges without sending frames. */
  protected abstract endExchanges(cause: Error): void;
  /** Called when the other side's `hello` arrives. */
  protected greeted?(): void;

  /** Why the other side is gone. Undefined: it is not, as far as this side knows. */
  get lossCause(): Error | undefined {
    return this.#lossCause;
  }

  /**
   * Begins to receive frames. Earlier frames arrive at once, so a constructor calls it when everything else is ready.
   */
  protected listen(): void {
    this.channel.onClose((cause) => this.lose(cause));
    this.channel.onFrame((frame) => this.#receive(frame));
  }

  /** Ends all exchanges with `cause` and closes the channel: the other side is gone. Does nothing the second time. */
  lose(cause: Error): void {
    if (this.#lossCause) return;
    this.#lossCause = cause;
    this.channel.close();
    this.handshake.fail(cause);
    this.endExchanges(cause);
    this.#gone.resolve(cause);
  }

  /** Says `bye` to the other side and ends all exchanges. */
  close(reason = 'closed'): void {
    if (!this.#lossCause) this.channel.send({ type: 'bye', reason });
    this.lose(new PeerLost(reason));
  }

  #answerPing(id: number): void {
    const report = this.changedReport?.();
    this.channel.send({ type: 'pong', id, running: this.reportedRequests(), ...(report && { report }) });
  }

  #receive(frame: Frame): void {
    switch (frame.type) {
      case 'hello': {
        this.greeted?.();
        const mismatch = this.handshake.receive(frame);
        if (mismatch) this.lose(mismatch);
        return;
      }
      case 'bye':
        this.lose(new PeerLost(frame.reason));
        return;
      case 'ping':
        this.#answerPing(frame.id);
        return;
      default:
        this.receive(frame);
    }
  }
}
