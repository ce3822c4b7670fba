import type { FrameChannel } from './channels/frame-channel.ts';
import { PeerLost } from './errors.ts';
import type { Frame, HelloFrame } from './grammar.ts';
import { Handshake, type Introduction } from './handshake.ts';

/** Frames about what is under way; those about the channel itself are the peer's own. */
export type ExchangeFrame = Exclude<Frame, { type: 'hello' | 'bye' | 'ping' }>;

/** One end of a channel: it is greeted there, answers pings, and knows when the other side is gone. */
export abstract class FramePeer {
  /** The other side's greeting; rejects when it speaks no common version or is gone. */
  readonly handshakeDone: Promise<HelloFrame>;
  /** Settles, with the cause, when the other side is gone and all that was under way has ended. */
  readonly gone: Promise<Error>;
  #tellGone!: (cause: Error) => void;
  #lost: Error | undefined;
  protected readonly handshake: Handshake;

  constructor(
    protected readonly channel: FrameChannel,
    { build, lock }: Introduction,
  ) {
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
    this.handshake = new Handshake(channel, { build, lock });
    this.handshakeDone = this.handshake.met;
  }

  /** Requests under way. */
  abstract get running(): number;
  /** What a restart of this side would cut, told to who pings. */
  protected abstract reportedRunning(): number;
  protected abstract receive(frame: ExchangeFrame): void;
  /** Ends everything under way, without telling the other side. */
  protected abstract drop(cause: Error): void;
  /** The other side has greeted. */
  protected greeted?(): void;

  get lossCause(): Error | undefined {
    return this.#lost;
  }

  /** Begins to take frames. Those that came before are delivered at once: the last thing that a constructor does. */
  protected listen(): void {
    this.channel.onClose((cause) => this.lose(cause));
    this.channel.onFrame((frame) => this.#receive(frame));
  }

  /** The other side is gone (its lock was released): everything under way ends with `cause`. */
  lose(cause: Error): void {
    if (this.#lost) return;
    this.#lost = cause;
    this.channel.close();
    this.handshake.fail(cause);
    this.drop(cause);
    this.#tellGone(cause);
  }

  /** Ends what is under way and tells the other side. */
  close(reason = 'closed'): void {
    if (!this.#lost) this.channel.send({ type: 'bye', reason });
    this.lose(new PeerLost(reason));
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
        this.channel.send({ type: 'pong', id: frame.id, running: this.reportedRunning() });
        return;
      default:
        this.receive(frame);
    }
  }
}
