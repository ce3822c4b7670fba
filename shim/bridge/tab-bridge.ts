import type { WebSocket } from 'ws';
import { REVOKED } from '#core/frames';
import {
  apiOfContext,
  type CallContext,
  type Server,
  unavailableResponse,
  type WebSocketSession,
} from '#core/http';
import { connectThrough, offeredProtocols } from '../forwarding/connect-through.ts';
import { outgoing } from '../forwarding/outgoing-request.ts';
import type { UpgradeResult } from '../ports/websocket.ts';
import { FleetServer, HomeAway } from './fleet/fleet-server.ts';
import { FAST_BEAT, SLOW_BEAT } from './fleet/heartbeat.ts';
import { TabConnection } from './fleet/tab-connection.ts';
import { describeTab, type TabDescription } from './fleet/tab-description.ts';
import type { PairedTab } from './paired-tabs.ts';
import { BRIDGE_PROTOCOL, Pairing } from './pairing.ts';

export const BRIDGE_PATH = '/tabd/bridge';

/** Seconds after which a client that found no tab may try again. */
const RETRY_AFTER = 2;

export interface TabBridgeOptions {
  /** The only origins whose pages may connect, that on localhost first. */
  appOrigins: string[];
  pairing?: Pairing;
  /** The one spelling of a model's name by which names are compared. Default: the name itself. */
  canonicalModel?(name: string): string;
  /** Called when a tab has connected, or has disconnected with a cause. */
  onChange?(connected: boolean, cause?: string): void;
}

/**
 * A `Server` that passes requests to open tabs, over WebSockets that the tabs have opened. One browser answers everything.
 * Several ones share the work of the models; the home among them has the state.
 */
export class TabBridge implements Server {
  readonly pairing: Pairing;
  /** By the id of the paired tab. */
  readonly #connections = new Map<string, TabConnection>();
  readonly #fleet: FleetServer;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: TabBridgeOptions) {
    this.pairing = options.pairing ?? new Pairing();
    this.#fleet = new FleetServer({
      connections: () => [...this.#connections.values()],
      home: () => this.#home,
      canonical: (model) => this.#canonical(model),
      describe: () => this.describe(),
      // A browser may be revoked while it answers.
      nameOf: (id) => this.pairing.tabs.list.find((tab) => tab.id === id)?.name ?? id,
    });
  }

  get connected(): boolean {
    return this.#connections.size > 0;
  }

  /** The app's origin on this computer. */
  get origin(): string {
    return this.options.appOrigins[0]!;
  }

  /** The link that connects the browser in which it is opened. It works for one connection. */
  get link(): string {
    return `${this.origin}/#/bridge?token=${this.pairing.token}`;
  }

  /** The same link for other devices, at each address that they reach. */
  get linksFromOutside(): string[] {
    const outside = this.options.appOrigins.filter((origin) => new URL(origin).hostname !== 'localhost');
    return outside.map((origin) => `${origin}/#/bridge?token=${this.pairing.token}`);
  }

  /** All paired browsers, oldest first. */
  describe(): TabDescription[] {
    const { list, home } = this.pairing.tabs;
    return list.map((tab) => describeTab(tab, tab.id === home?.id, this.#connections.get(tab.id)));
  }

  /** Removes a browser and closes its connection. It can come back with a new link only. @throws TabRefusal 404 */
  revoke(idOrName: string): PairedTab {
    const tab = this.pairing.tabs.revoke(idOrName);
    this.#connections.get(tab.id)?.client.close(REVOKED);
    return tab;
  }

  /** Disconnects all tabs. */
  drop(cause: string): void {
    for (const connection of [...this.#connections.values()]) {
      connection.client.close(cause);
      this.#remove(connection, cause);
    }
  }

  /** Accepts or refuses the connection of a tab. */
  accept(request: Request): UpgradeResult {
    const origin = request.headers.get('origin');
    if (!origin || !this.options.appOrigins.includes(origin)) {
      return Response.json({ error: 'only the page of this tabd may connect' }, { status: 403 });
    }
    const tab = this.pairing.admit(offeredProtocols(request), request.headers.get('user-agent') ?? undefined);
    if (!tab) {
      const error = 'the link was used already or has expired, or this browser was disconnected';
      return Response.json({ error }, { status: 403 });
    }
    return { protocol: BRIDGE_PROTOCOL, startRaw: (socket) => this.#attach(socket, tab.id) };
  }

  async fetch(request: Request, context: CallContext): Promise<Response> {
    try {
      const [only] = this.#connections.values();
      if (!only) return this.#noTab(request, context);
      // A single browser has all state, so every request is its own.
      if (this.pairing.tabs.list.length < 2) return await only.fetch(outgoing(request, context));
      return await this.#fleet.fetch(request, context);
    } catch (cause) {
      request.signal.throwIfAborted();
      return this.#failed(request, context, cause);
    }
  }

  async connect(request: Request, context: CallContext): Promise<WebSocketSession | Response> {
    if (!this.connected) return this.#noTab(request, context);
    try {
      const home = this.#home;
      if (!home) throw new HomeAway();
      return await connectThrough(home.client, request, context);
    } catch (cause) {
      return this.#failed(request, context, cause);
    }
  }

  async close(): Promise<void> {
    this.drop('tabd is stopping');
  }

  get #home(): TabConnection | undefined {
    const { home } = this.pairing.tabs;
    return home && this.#connections.get(home.id);
  }

  #canonical(model: string): string {
    return (this.options.canonicalModel?.(model) ?? model).toLowerCase();
  }

  /** A new connection of the same browser replaces the former one, whose running requests fail. */
  #attach(socket: WebSocket, id: string): void {
    // The browser may have been revoked between the request and the open socket.
    if (!this.pairing.tabs.list.some((tab) => tab.id === id)) {
      socket.close();
      return;
    }
    const replaced = this.#connections.get(id);
    const connection = new TabConnection(socket, {
      id,
      isHome: () => this.pairing.tabs.home?.id === id,
      canonical: (model) => this.#canonical(model),
      now: () => performance.now(),
    });
    this.#connections.set(id, connection);
    replaced?.client.close('another tab of this browser answers now');
    this.options.onChange?.(true);
    this.#startBeat();
    connection.client.gone.then((cause) => {
      socket.close();
      this.#remove(connection, cause.message);
    });
  }

  /** Does nothing the second time, and for a connection that was replaced. */
  #remove(connection: TabConnection, cause: string): void {
    if (this.#connections.get(connection.id) !== connection) return;
    this.#connections.delete(connection.id);
    this.#startBeat();
    this.options.onChange?.(false, cause);
  }

  /** Pings all tabs, more often while they share the work. */
  #startBeat(): void {
    clearInterval(this.#timer);
    const { size } = this.#connections;
    if (size === 0) return;
    const beat = () => {
      for (const connection of this.#connections.values()) connection.beat();
    };
    this.#timer = setInterval(beat, size > 1 ? FAST_BEAT : SLOW_BEAT);
    beat();
  }

  #failed(request: Request, context: CallContext, cause: unknown): Response {
    if (!(cause instanceof HomeAway)) return this.#noTab(request, context, (cause as Error).message);
    const name = this.pairing.tabs.home?.name ?? '';
    return this.#unavailable(
      request,
      context,
      `this request needs the state of the browser '${name}', which is not connected: open ${this.origin} there, ` +
        `or let another browser take over with: tabd tabs home NAME`,
    );
  }

  #noTab(request: Request, context: CallContext, cause?: string): Response {
    const message = cause
      ? `the tab that answers this port did not answer (${cause}): ask again, or look at the tab`
      : `no tab is connected that could answer this port: open ${this.origin} and ask again`;
    return this.#unavailable(request, context, message);
  }

  #unavailable(request: Request, context: CallContext, message: string): Response {
    const { pathname } = new URL(request.url);
    return unavailableResponse(apiOfContext(context), pathname, message, {
      retryAfter: RETRY_AFTER,
      servedBy: 'node',
    });
  }
}
