import type { CallContext, Server } from '../server-types.ts';
import type { FrameChannel } from './channel.ts';
import { PeerLost } from './errors.ts';
import type { Frame, Hello, Open } from './grammar.ts';
import { Handshake, type Introduction } from './handshake.ts';
import { ServedExchange } from './served-exchange.ts';

export interface FrameServerOptions extends Introduction {
  /** The context of a request; `told` is what the caller says, to be believed only from a caller that is trusted. */
  context(told: Open['context']): CallContext;
  /** What a restart would cut on all channels together, told to who pings. */
  running?(): number;
  /** Milliseconds that an answer waits for a caller who reads nothing, until its work is stopped. */
  stallTimeout?: number;
}

/** The serving end of a channel: runs requests and sockets against a `Server` for as long as their caller lives. */
export class FrameServer {
  /** The caller's greeting; rejects when it speaks no common version or is gone. */
  readonly met: Promise<Hello>;
  /** Settles, with the cause, when the caller is gone and all its work was stopped. */
  readonly gone: Promise<Error>;
  #tellGone!: (cause: Error) => void;
  #lost = false;
  readonly #exchanges = new Map<number, ServedExchange>();
  readonly #handshake: Handshake;

  constructor(
    private readonly channel: FrameChannel,
    private readonly server: Pick<Server, 'fetch' | 'connect'>,
    private readonly options: FrameServerOptions,
  ) {
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
    const { build, lock } = options;
    this.#handshake = new Handshake(channel, { build, lock });
    this.met = this.#handshake.met;
    channel.onClose((cause) => this.lose(cause));
    channel.onFrame((frame) => this.#receive(frame));
  }

  /** Requests under way. Sockets do not count: whoever has one open all day comes back when it closes. */
  get running(): number {
    let count = 0;
    for (const exchange of this.#exchanges.values()) if (!exchange.isSocket) count += 1;
    return count;
  }

  /** The caller is gone (its lock was released): stops the work that it asked for. */
  lose(cause: Error): void {
    if (this.#lost) return;
    this.#lost = true;
    this.channel.close();
    this.#handshake.fail(cause);
    for (const exchange of [...this.#exchanges.values()]) exchange.stop(cause);
    this.#tellGone(cause);
  }

  /** Tells the caller that nothing more is answered here. */
  close(reason: string): void {
    if (!this.#lost) this.channel.send({ type: 'bye', reason });
    this.lose(new PeerLost(reason));
  }

  #receive(frame: Frame): void {
    switch (frame.type) {
      case 'hello': {
        this.#handshake.greet();
        const mismatch = this.#handshake.receive(frame);
        if (mismatch) this.lose(mismatch);
        return;
      }
      case 'bye':
        this.lose(new PeerLost(frame.reason));
        return;
      case 'ping':
        this.channel.send({
          type: 'pong',
          id: frame.id,
          running: this.options.running?.() ?? this.running,
        });
        return;
      case 'open':
      case 'connect': {
        if (this.#exchanges.has(frame.id)) return;
        const exchange = new ServedExchange(this.channel, frame, {
          server: this.server,
          context: this.options.context(frame.context),
          stallTimeout: this.options.stallTimeout ?? 120_000,
          over: () => this.#exchanges.delete(frame.id),
        });
        this.#exchanges.set(frame.id, exchange);
        exchange.run();
        return;
      }
      case 'pong':
        return;
      default:
        this.#exchanges.get(frame.id)?.receive(frame);
    }
  }
}
