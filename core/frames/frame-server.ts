import type { CallContext, Server } from '#core/http';
import type { FrameChannel } from './channels/frame-channel.ts';
import { type ExchangeFrame, FramePeer } from './frame-peer.ts';
import type { OpenFrame } from './grammar.ts';
import type { Introduction } from './handshake.ts';
import { ServedExchange } from './served-exchange.ts';
import type { ServerReport } from './server-report.ts';

/** Milliseconds, see `FrameServerOptions.stallTimeout`. */
const DEFAULT_STALL_TIMEOUT = 120_000;

export interface FrameServerOptions extends Introduction {
  /**
   * The context of a request.
   * @param claimed what the caller says about the client; believe it only from a trusted caller
   */
  context(claimed: OpenFrame['context']): CallContext;
  /** How many requests on all channels a restart would cut off, for `pong`. Undefined: those of this channel. */
  running?(): number;
  /** Facts about this server, for a caller that has several. Sent in `hello`, and in `pong` when they change. */
  report?(): ServerReport | undefined;
  /** Milliseconds that a response waits for a caller that reads nothing, before its work is stopped. Default: 120,000. */
  stallTimeout?: number;
}

/** The serving end of a channel: runs requests and WebSockets on a `Server` for as long as their caller lives. */
export class FrameServer extends FramePeer {
  readonly #exchanges = new Map<number, ServedExchange>();
  #sentReport: string | undefined;

  constructor(
    channel: FrameChannel,
    private readonly server: Pick<Server, 'fetch' | 'connect'>,
    private readonly options: FrameServerOptions,
  ) {
    super(channel, options);
    this.listen();
  }

  /** How many requests are running. WebSockets do not count: their clients connect again after a restart. */
  get running(): number {
    let count = 0;
    for (const exchange of this.#exchanges.values()) if (!exchange.isSocket) count += 1;
    return count;
  }

  /** Answers the caller's `hello`: the caller always greets first. */
  protected override greeted(): void {
    this.handshake.greet(this.changedReport());
  }

  protected override changedReport(): ServerReport | undefined {
    const report = this.options.report?.();
    const text = JSON.stringify(report);
    if (text === this.#sentReport) return undefined;
    this.#sentReport = text;
    return report;
  }

  protected endExchanges(cause: Error): void {
    for (const exchange of [...this.#exchanges.values()]) exchange.stop(cause);
  }

  protected reportedRequests(): number {
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
          stallTimeout: this.options.stallTimeout ?? DEFAULT_STALL_TIMEOUT,
          onEnd: () => this.#exchanges.delete(frame.id),
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
