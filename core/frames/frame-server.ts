import type { CallContext, Server } from '#core/http';
import type { FrameChannel } from './channels/frame-channel.ts';
import { type ExchangeFrame, FramePeer } from './frame-peer.ts';
import type { OpenFrame } from './grammar.ts';
import type { Introduction } from './handshake.ts';
import { ServedExchange } from './served-exchange.ts';

export interface FrameServerOptions extends Introduction {
  /** The context of a request; `told` is what the caller says, to be believed only from a caller that is trusted. */
  context(told: OpenFrame['context']): CallContext;
  /** What a restart would cut on all channels together, told to who pings. */
  running?(): number;
  /** Milliseconds that an answer waits for a caller who reads nothing, until its work is stopped. */
  stallTimeout?: number;
}

/** The serving end of a channel: runs requests and sockets against a `Server` for as long as their caller lives. */
export class FrameServer extends FramePeer {
  readonly #exchanges = new Map<number, ServedExchange>();

  constructor(
    channel: FrameChannel,
    private readonly server: Pick<Server, 'fetch' | 'connect'>,
    private readonly options: FrameServerOptions,
  ) {
    super(channel, options);
    this.listen();
  }

  /** Requests under way. Sockets do not count: whoever has one open all day comes back when it closes. */
  get running(): number {
    let count = 0;
    for (const exchange of this.#exchanges.values()) if (!exchange.isSocket) count += 1;
    return count;
  }

  /** The caller speaks first. */
  protected override greeted(): void {
    this.handshake.greet();
  }

  protected drop(cause: Error): void {
    for (const exchange of [...this.#exchanges.values()]) exchange.stop(cause);
  }

  protected reportedRunning(): number {
    return this.options.running?.() ?? this.running;
  }

  protected receive(frame: ExchangeFrame): void {
    switch (frame.type) {
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
