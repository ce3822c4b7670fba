import type { WebSocket } from 'ws';
import { TABD_VERSION } from '#core/base';
import {
  FrameClient,
  type FramedWebSocket,
  type HeaderList,
  type SocketLike,
  socketChannel,
} from '#core/frames';
import {
  type CallContext,
  type Server,
  type ServerSocket,
  unavailableResponse,
  type WebSocketSession,
} from '#core/http';
import type { UpgradeResult } from '../ports/websocket.ts';
import { BRIDGE_PROTOCOL, Pairing } from './pairing.ts';

export const BRIDGE_PATH = '/tabd/bridge';

/** Seconds after which a client that found no tab may try again. */
const RETRY_AFTER = 2;
/** Milliseconds that a tab has to accept a request. A tab in the background may be slow. */
const ACCEPT_TIMEOUT = 10_000;
/** Milliseconds between pings, which also keep proxies from closing an idle connection. */
const PING_INTERVAL = 20_000;

export interface TabBridgeOptions {
  /** The only origins whose pages may connect. */
  appOrigins: string[];
  pairing?: Pairing;
  /** Called when a tab has connected, or has disconnected with a cause. */
  onChange?(connected: boolean, cause?: string): void;
}

/** A `Server` that passes requests to an open tab, over a WebSocket that the tab has opened. */
export class TabBridge implements Server {
  readonly pairing: Pairing;
  #client: FrameClient | undefined;

  constructor(private readonly options: TabBridgeOptions) {
    this.pairing = options.pairing ?? new Pairing();
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** The app's origin on this computer. */
  get origin(): string {
    return this.options.appOrigins[0]!;
  }

  /** The link that connects the tab in which it is opened. It works for one connection. */
  get link(): string {
    return `${this.origin}/#/bridge?token=${this.pairing.token}`;
  }

  /** Disconnects the tab. */
  drop(cause: string): void {
    const client = this.#client;
    this.#client = undefined;
    client?.close(cause);
    if (client) this.options.onChange?.(false, cause);
  }

  /** Accepts or refuses the connection of a tab. */
  accept(request: Request): UpgradeResult {
    const origin = request.headers.get('origin');
    if (!origin || !this.options.appOrigins.includes(origin)) {
      return Response.json({ error: 'only the page of this tabd may connect' }, { status: 403 });
    }
    const protocols = (request.headers.get('sec-websocket-protocol') ?? '')
      .split(',')
      .map((each) => each.trim());
    if (!this.pairing.admits(protocols)) {
      return Response.json(
        { error: 'the link was used already, or tabd has been restarted since' },
        { status: 403 },
      );
    }
    return { protocol: BRIDGE_PROTOCOL, startRaw: (socket) => this.#attach(socket) };
  }

  async fetch(request: Request, context: CallContext): Promise<Response> {
    const { method, url, signal, body } = request;
    const client = this.#client;
    if (!client) return this.#noTab(request, context);
    try {
      return await client.fetch({
        method,
        url,
        headers: headerList(request),
        ...(body && { body: () => body }),
        signal,
        context,
      });
    } catch (cause) {
      signal.throwIfAborted();
      return this.#noTab(request, context, (cause as Error).message);
    }
  }

  async connect(request: Request, context: CallContext): Promise<WebSocketSession | Response> {
    const client = this.#client;
    if (!client) return this.#noTab(request, context);
    const offered = request.headers.get('sec-websocket-protocol');
    try {
      const answer = await client.connect({
        url: request.url,
        headers: headerList(request),
        protocols: offered ? offered.split(',').map((each) => each.trim()) : [],
        signal: request.signal,
        context,
      });
      if (answer instanceof Response) return answer;
      return { protocol: answer.protocol || undefined, start: (socket) => connectSockets(socket, answer) };
    } catch (cause) {
      return this.#noTab(request, context, (cause as Error).message);
    }
  }

  async close(): Promise<void> {
    this.drop('tabd is stopping');
  }

  /** A new tab replaces the connected one, whose running requests fail. */
  #attach(socket: WebSocket): void {
    this.#client?.close('another tab answers the ports now');
    const client = new FrameClient(socketChannel(socket as unknown as SocketLike), {
      build: TABD_VERSION,
      acceptTimeout: ACCEPT_TIMEOUT,
    });
    this.#client = client;
    this.options.onChange?.(true);
    const watch = setInterval(() => {
      client.ping(ACCEPT_TIMEOUT).catch((cause) => client.lose(cause));
    }, PING_INTERVAL);
    client.gone.then((cause) => {
      clearInterval(watch);
      socket.close();
      if (this.#client !== client) return;
      this.#client = undefined;
      this.options.onChange?.(false, cause.message);
    });
  }

  #noTab(request: Request, context: CallContext, cause?: string): Response {
    const { pathname } = new URL(request.url);
    const message = cause
      ? `the tab that answers this port did not answer (${cause}): ask again, or look at the tab`
      : `no tab is connected that could answer this port: open ${this.options.appOrigins[0]} and ask again`;
    const listener = context.listener === 'origin' ? 'local-models' : context.listener;
    return unavailableResponse(listener, pathname, message, { retryAfter: RETRY_AFTER, servedBy: 'node' });
  }
}

function headerList(request: Request): HeaderList {
  return [...request.headers];
}

/** Forwards messages and the close between the client's socket and the tab's. */
function connectSockets(client: ServerSocket, tab: FramedWebSocket): void {
  client.onMessage((data) => tab.send(data));
  tab.onMessage((data) => client.send(data));
  client.onClose((code, reason) => tab.close(code, reason));
  tab.onClose((code, reason) => client.close(code, reason));
}
