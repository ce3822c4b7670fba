import { WINDOW } from './body-receiver.ts';
import type { BodySource } from './body-sender.ts';
import { CallerExchange } from './caller-exchange.ts';
import type { FrameChannel } from './channel.ts';
import { NotAccepted, PeerLost } from './errors.ts';
import type { FrameSocket } from './frame-socket.ts';
import type { Frame, HeaderList, Hello, Open } from './grammar.ts';
import { Handshake, type Introduction } from './handshake.ts';

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
  context?: Open['context'];
  /** The other side has taken the request: it must not be sent again elsewhere. */
  accepted?(): void;
  /** Called once, when the exchange is over in whatever way. */
  over?(): void;
}

export interface OutgoingSocket {
  /** Absolute, `http:` or `https:`. */
  url: string;
  headers?: HeaderList;
  protocols?: string[];
  signal?: AbortSignal;
  context?: Open['context'];
}

/** The caller's end of a channel: any number of requests and sockets at once. */
export class FrameClient {
  /** The other side's greeting; rejects when it speaks no common version or is gone. */
  readonly met: Promise<Hello>;
  /** Settles, with the cause, when nothing more can be asked here. */
  readonly gone: Promise<Error>;
  #tellGone!: (cause: Error) => void;
  #lost: Error | undefined;
  #nextId = 1;
  readonly #exchanges = new Map<number, CallerExchange>();
  readonly #pings = new Map<number, (running: number) => void>();
  readonly #handshake: Handshake;
  readonly #acceptTimeout: number;

  constructor(
    private readonly channel: FrameChannel,
    options: FrameClientOptions = {},
  ) {
    this.#acceptTimeout = options.acceptTimeout ?? 2000;
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
    const { build, lock } = options;
    this.#handshake = new Handshake(channel, { build, lock });
    this.met = this.#handshake.met;
    channel.onClose((cause) => this.lose(cause));
    channel.onFrame((frame) => this.#receive(frame));
    this.#handshake.greet();
  }

  /** Requests and sockets under way. */
  get running(): number {
    return this.#exchanges.size;
  }

  get lost(): Error | undefined {
    return this.#lost;
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
  async connect(request: OutgoingSocket): Promise<FrameSocket | Response> {
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

  /** The other side is gone (its lock was released): everything under way fails with `cause`. */
  lose(cause: Error): void {
    if (this.#lost) return;
    this.#lost = cause;
    this.channel.close();
    this.#handshake.fail(cause);
    for (const exchange of [...this.#exchanges.values()]) exchange.lose(cause);
    this.#tellGone(cause);
  }

  /** Cancels what is under way and tells the other side. */
  close(reason = 'closed'): void {
    if (!this.#lost) this.channel.send({ type: 'bye', reason });
    this.lose(new PeerLost(reason));
  }

  async #begin(
    request: OutgoingRequest | OutgoingSocket,
    first: (id: number) => Frame,
  ): Promise<CallerExchange> {
    const { signal } = request;
    signal?.throwIfAborted();
    if (this.#lost) throw this.#lost;
    const id = this.#nextId++;
    const exchange = new CallerExchange(this.channel, id, {
      body: 'body' in request ? request.body : undefined,
      accepted: 'accepted' in request ? request.accepted : undefined,
      over: () => {
        this.#exchanges.delete(id);
        signal?.removeEventListener('abort', abort);
        if ('over' in request) request.over?.();
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
      await Promise.race([this.met, exchange.accepted]);
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

  #receive(frame: Frame): void {
    switch (frame.type) {
      case 'hello': {
        const mismatch = this.#handshake.receive(frame);
        if (mismatch) this.lose(mismatch);
        return;
      }
      case 'bye':
        this.lose(new PeerLost(frame.reason));
        return;
      case 'ping':
        this.channel.send({ type: 'pong', id: frame.id, running: this.running });
        return;
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
