import { TABD_VERSION } from '#core/base';
import { type BodySource, FrameClient, socketChannel } from '#core/frames';
import type { CallContext } from '#core/http';
import { headerList } from '../forwarding/outgoing-request.ts';
import type { RedisSockets } from './redis-sockets.ts';

/** Milliseconds in which a process must accept a request. */
const ACCEPT_TIMEOUT = 10_000;
/** Milliseconds between two pings of a process, and until it must have answered. */
const PING_INTERVAL = 3000;
const PING_TIMEOUT = 10_000;

export interface PeerRequest {
  request: Request;
  context: CallContext;
  /** Instead of the headers of the request. */
  headers?: [string, string][];
  /** Instead of the body of the request. */
  body?: ReadableStream<Uint8Array> | null;
  /** Called when the process has taken the request. */
  onAccepted?(): void;
}

/** Milliseconds for which a process that took no request is avoided. It may be dead, though still announced. */
const SUSPECT_FOR = 10_000;

/** The sessions of this process with others, to which it sends requests. */
export class Peers {
  readonly #clients = new Map<string, FrameClient>();
  /** Until when processes are avoided: milliseconds of a monotonic clock. */
  readonly #suspects = new Map<string, number>();

  constructor(private readonly sockets: RedisSockets) {}

  /** How many requests of this process the other one answers now. */
  running(process: string): number {
    return this.#clients.get(process)?.running ?? 0;
  }

  /** Whether the process has lately taken no request. */
  isSuspect(process: string): boolean {
    const until = this.#suspects.get(process);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#suspects.delete(process);
    return false;
  }

  /** Sends a request. Rejects with `NotAccepted`, or with the cause when the process does not answer. */
  async fetch(process: string, sending: PeerRequest): Promise<Response> {
    const { request, context, headers, body = request.body } = sending;
    const { method, url, signal } = request;
    let isAccepted = false;
    const onAccepted = () => {
      isAccepted = true;
      this.#suspects.delete(process);
      sending.onAccepted?.();
    };
    const response = this.client(process).fetch({
      method,
      url,
      headers: headers ?? headerList(request.headers),
      ...(body && { body: () => body as BodySource }),
      signal,
      context,
      onAccepted,
    });
    try {
      return await response;
    } catch (error) {
      const isImpatient = (signal.reason as Error | undefined)?.name === 'TimeoutError';
      if (!isAccepted && (!signal.aborted || isImpatient))
        this.#suspects.set(process, performance.now() + SUSPECT_FOR);
      throw error;
    }
  }

  /** The session with a process. */
  client(process: string): FrameClient {
    const connected = this.#clients.get(process);
    if (connected && !connected.lossCause) return connected;
    const client = new FrameClient(socketChannel(this.sockets.connect(process)), {
      build: TABD_VERSION,
      acceptTimeout: ACCEPT_TIMEOUT,
      // A request that may have run must not be sent to another process.
      confirms: true,
    });
    this.#clients.set(process, client);
    const watch = setInterval(() => {
      client.ping(PING_TIMEOUT).catch((cause) => client.lose(cause));
    }, PING_INTERVAL);
    void client.gone.then(() => {
      clearInterval(watch);
      if (this.#clients.get(process) === client) this.#clients.delete(process);
    });
    return client;
  }

  close(reason: string): void {
    for (const client of this.#clients.values()) client.close(reason);
  }
}
