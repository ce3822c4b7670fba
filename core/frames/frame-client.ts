import { WINDOW } from './bodies/body-receiver.ts';
import type { BodySource } from './bodies/body-sender.ts';
import { CallerExchange } from './caller-exchange.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import { NotAccepted } from './errors.ts';
import { type ExchangeFrame, FramePeer } from './frame-peer.ts';
import type { FramedWebSocket } from './frame-socket.ts';
import type { Frame, HeaderList, OpenFrame } from './grammar.ts';
import type { Introduction } from './handshake.ts';

/** Milliseconds, see `FrameClientOptions.acceptTimeout`. */
const DEFAULT_ACCEPT_TIMEOUT = 2000;

export interface FrameClientOptions extends Introduction {
  /** Milliseconds until a request that the server has not accepted fails with `NotAccepted`. Default: 2000. */
  acceptTimeout?: number;
  /**
   * Servers begin when this side has seen that they accepted a request, which takes one more message. Then `NotAccepted`
   * says for certain that the request has not run.
   */
  confirms?: boolean;
}

/** A request to send over a channel. */
export interface OutgoingRequest {
  method: string;
  /** An absolute URL. */
  url: string;
  headers: HeaderList;
  /**
   * The body. Called once, when the server has accepted the request. Until then the body is untouched, and the request can
   * go elsewhere.
   */
  body?: () => BodySource | Promise<BodySource>;
  signal?: AbortSignal;
  context?: OpenFrame['context'];
  /** Called when the server has accepted the request: it must not be sent elsewhere any more. */
  onAccepted?(): void;
  /** Called once, when the exchange has ended, with or without success. */
  onEnd?(): void;
}

export interface OutgoingWebSocket {
  /** Absolute, `http:` or `https:`. */
  url: string;
  headers?: HeaderList;
  protocols?: string[];
  signal?: AbortSignal;
  context?: OpenFrame['context'];
}

/** The caller's end of a channel, for any number of requests and WebSockets at once. */
export class FrameClient extends FramePeer {
  #nextId = 1;
  readonly #exchanges = new Map<number, CallerExchange>();
  readonly #pings = new Map<number, (running: number) => void>();
  readonly #acceptTimeout: number;
  readonly #confirms: boolean;
  #report: unknown;

  constructor(channel: FrameChannel, options: FrameClientOptions = {}) {
    super(channel, options);
    this.#acceptTimeout = options.acceptTimeout ?? DEFAULT_ACCEPT_TIMEOUT;
    this.#confirms = options.confirms ?? false;
    this.handshakeDone.then(
      ({ report }) => {
        this.#report ??= report;
      },
      () => {},
    );
    this.listen();
    this.handshake.greet();
  }

  /** How many requests and WebSockets are running. */
  get running(): number {
    return this.#exchanges.size;
  }

  /** The last report of the server, not checked: `readServerReport` reads it. Undefined: it has sent none. */
  get report(): unknown {
    return this.#report;
  }

  /**
   * Sends a request. A failure after the response's head is an error of the body's stream.
   * Rejects with the signal's reason, `NotAccepted`, `PeerLost`, `VersionMismatch`, or a `FrameError` with the cause.
   */
  async fetch(request: OutgoingRequest): Promise<Response> {
    const { method, url, headers, context } = request;
    const exchange = await this.#begin(request, (id) => ({
      type: 'open',
      id,
      method,
      url,
      headers,
      body: request.body !== undefined,
      ...(this.#confirms && { confirms: true }),
      credit: WINDOW,
      context,
    }));
    return (await exchange.outcome) as Response;
  }

  /** Opens a WebSocket. Resolves with it, or with the response that refuses it. Rejects as `fetch` does. */
  async connect(request: OutgoingWebSocket): Promise<FramedWebSocket | Response> {
    const { url, headers = [], protocols = [], context } = request;
    const exchange = await this.#begin(request, (id) => ({
      type: 'connect',
      id,
      url,
      headers,
      protocols,
      credit: WINDOW,
      context,
    }));
    return exchange.outcome;
  }

  /**
   * How many requests a restart of the server would cut off. Rejects with `NotAccepted`, or with the cause when the server
   * is gone.
   * @param timeout milliseconds
   */
  async ping(timeout = this.#acceptTimeout): Promise<number> {
    const id = this.#nextId++;
    return new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pings.delete(id);
        reject(new NotAccepted(`no answer within ${timeout} ms`));
      }, timeout);
      this.gone.then((cause) => {
        clearTimeout(timer);
        reject(cause);
      });
      this.#pings.set(id, (running) => {
        clearTimeout(timer);
        resolve(running);
      });
      this.channel.send({ type: 'ping', id });
    });
  }

  async #begin(
    request: OutgoingRequest | OutgoingWebSocket,
    firstFrame: (id: number) => Frame,
  ): Promise<CallerExchange> {
    const { signal } = request;
    signal?.throwIfAborted();
    if (this.lossCause) throw this.lossCause;
    const id = this.#nextId++;
    const exchange = new CallerExchange(this.channel, id, {
      body: 'body' in request ? request.body : undefined,
      // A WebSocket begins with a handshake, which may be repeated.
      confirms: this.#confirms && 'method' in request,
      onAccepted: 'onAccepted' in request ? request.onAccepted : undefined,
      onEnd: () => {
        this.#exchanges.delete(id);
        signal?.removeEventListener('abort', abort);
        if ('onEnd' in request) request.onEnd?.();
      },
    });
    const abort = () => exchange.abort(signal?.reason);
    this.#exchanges.set(id, exchange);
    signal?.addEventListener('abort', abort);
    const timer = setTimeout(
      () => exchange.abort(new NotAccepted(`nobody took the request within ${this.#acceptTimeout} ms`)),
      this.#acceptTimeout,
    );
    exchange.accepted.finally(() => clearTimeout(timer)).catch(() => {});
    try {
      await Promise.race([this.handshakeDone, exchange.accepted]);
    } catch (cause) {
      exchange.abort(cause);
      await exchange.accepted;
    }
    exchange.open(firstFrame(id));
    return exchange;
  }

  protected endExchanges(cause: Error): void {
    for (const exchange of [...this.#exchanges.values()]) exchange.failAfterUnread(cause);
  }

  protected reportedRequests(): number {
    return this.running;
  }

  protected receive(frame: ExchangeFrame): void {
    switch (frame.type) {
      case 'pong':
        this.#report = frame.report ?? this.#report;
        this.#pings.get(frame.id)?.(frame.running);
        this.#pings.delete(frame.id);
        return;
      case 'open':
      case 'connect':
        return;
      default:
        this.#exchanges.get(frame.id)?.receive(frame);
    }
  }
}
