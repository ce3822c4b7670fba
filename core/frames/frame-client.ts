import { WINDOW } from './bodies/body-receiver.ts';
import type { BodySource } from './bodies/body-sender.ts';
import { CallerExchange } from './caller-exchange.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import { NotAccepted } from './errors.ts';
import { type ExchangeFrame, FramePeer } from './frame-peer.ts';
import type { FramedWebSocket } from './frame-socket.ts';
import type { Frame, HeaderList, OpenFrame } from './grammar.ts';
import type { Introduction } from './handshake.ts';

export interface FrameClientOptions extends Introduction {
  /** Milliseconds until a request that the other side did not take fails with `NotAccepted`. */
  acceptTimeout?: number;
}

export interface OutgoingRequest {
  method: string;
  /** Absolute. */
  url: string;
  headers: HeaderList;
  /** Called once, when the other side has accepted: until then the body is untouched and the request can go elsewhere. */
  body?: () => BodySource | Promise<BodySource>;
  signal?: AbortSignal;
  context?: OpenFrame['context'];
  /** The other side has taken the request: it must not be sent again elsewhere. */
  onAccepted?(): void;
  /** Called once, when the exchange is over in whatever way. */
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

/** The caller's end of a channel: any number of requests and sockets at once. */
export class FrameClient extends FramePeer {
  #nextId = 1;
  readonly #exchanges = new Map<number, CallerExchange>();
  readonly #pings = new Map<number, (running: number) => void>();
  readonly #acceptTimeout: number;

  constructor(channel: FrameChannel, options: FrameClientOptions = {}) {
    super(channel, options);
    this.#acceptTimeout = options.acceptTimeout ?? 2000;
    this.listen();
    this.handshake.greet();
  }

  /** Requests and sockets under way. */
  get running(): number {
    return this.#exchanges.size;
  }

  /**
   * Rejects with the signal's reason, `NotAccepted`, `PeerLost`, `VersionMismatch`, or a `FrameError` that tells why
   * the answer failed before its head. A failure after the head is an error of the body's stream.
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
      credit: WINDOW,
      context,
    }));
    return (await exchange.outcome) as Response;
  }

  /** An open socket, or the response that refuses it. Rejects as `fetch` does. */
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

  /** How much would be cut if the server ended now. Rejects with `NotAccepted` after `timeout` ms. */
  async ping(timeout = this.#acceptTimeout): Promise<number> {
    const id = this.#nextId++;
    return this.#within(timeout, (resolve, reject) => {
      this.gone.then(reject);
      this.#pings.set(id, resolve);
      this.channel.send({ type: 'ping', id });
      return () => this.#pings.delete(id);
    });
  }

  async #begin(
    request: OutgoingRequest | OutgoingWebSocket,
    first: (id: number) => Frame,
  ): Promise<CallerExchange> {
    const { signal } = request;
    signal?.throwIfAborted();
    if (this.lossCause) throw this.lossCause;
    const id = this.#nextId++;
    const exchange = new CallerExchange(this.channel, id, {
      body: 'body' in request ? request.body : undefined,
      accepted: 'onAccepted' in request ? request.onAccepted : undefined,
      over: () => {
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
      throw cause;
    }
    exchange.open(first(id));
    return exchange;
  }

  #within<T>(
    timeout: number,
    run: (resolve: (value: T) => void, reject: (cause: Error) => void) => () => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = run(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (cause) => {
          clearTimeout(timer);
          reject(cause);
        },
      );
      const timer = setTimeout(() => {
        stop();
        reject(new NotAccepted(`no answer within ${timeout} ms`));
      }, timeout);
    });
  }

  protected drop(cause: Error): void {
    for (const exchange of [...this.#exchanges.values()]) exchange.lose(cause);
  }

  protected reportedRunning(): number {
    return this.running;
  }

  protected receive(frame: ExchangeFrame): void {
    switch (frame.type) {
      case 'pong':
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
