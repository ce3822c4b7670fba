import type { WebSocket } from 'ws';
import { TABD_VERSION } from '#core/base';
import {
  FrameClient,
  type OutgoingRequest,
  readServerReport,
  type ServerReport,
  type SocketLike,
  socketChannel,
} from '#core/frames';
import { Heartbeat } from './heartbeat.ts';
import type { TabState } from './rank-tabs.ts';

/** Milliseconds that a tab has to accept a request or to answer a ping. A tab in the background may be slow. */
export const ACCEPT_TIMEOUT = 10_000;

export interface TabConnectionOptions {
  /** The id of the paired tab. */
  id: string;
  isHome(): boolean;
  /** The one spelling of a model's name by which names are compared. */
  canonical(model: string): string;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/** The connection of one tab: its requests, its work, and whether it reacts. */
export class TabConnection implements TabState {
  readonly client: FrameClient;
  lastRequest = 0;
  readonly #heartbeat: Heartbeat;
  /** Requests of this shim under way, by their model. */
  readonly #running = new Map<symbol, string | undefined>();
  /** Requests of the tab's own pages, as of its last pong. */
  #foreign = 0;
  readonly #onSilent = new Set<() => void>();
  #read: { raw: unknown; report: ServerReport; models: Set<string>; loaded: Set<string> } | undefined;

  constructor(
    socket: WebSocket,
    private readonly options: TabConnectionOptions,
  ) {
    this.#heartbeat = new Heartbeat(() => options.now());
    this.client = new FrameClient(socketChannel(socket as unknown as SocketLike), {
      build: TABD_VERSION,
      acceptTimeout: ACCEPT_TIMEOUT,
    });
  }

  get id(): string {
    return this.options.id;
  }

  get isHome(): boolean {
    return this.options.isHome();
  }

  get isResponsive(): boolean {
    return this.client.lossCause === undefined && this.#heartbeat.isResponsive;
  }

  get outstanding(): number {
    return this.#running.size + this.#foreign;
  }

  get report(): ServerReport {
    return this.#reported().report;
  }

  get battery(): ServerReport['battery'] {
    return this.report.battery;
  }

  get models(): ReadonlySet<string> {
    return this.#reported().models;
  }

  /** A model that a request under way has asked for is loaded, or will be soon. */
  get loaded(): ReadonlySet<string> {
    const loaded = new Set(this.#reported().loaded);
    for (const model of this.#running.values()) if (model !== undefined) loaded.add(model);
    return loaded;
  }

  /** Sends a request. It counts as work until its response has ended. */
  fetch(request: OutgoingRequest, model?: string): Promise<Response> {
    const key = Symbol();
    this.#running.set(key, model);
    this.lastRequest = this.options.now();
    const end = () => {
      if (this.#running.delete(key)) request.onEnd?.();
    };
    const sent = this.client.fetch({ ...request, onEnd: end });
    // A request that was never sent has no end.
    sent.catch(end);
    return sent;
  }

  /** Pings the tab. One that does not answer within `ACCEPT_TIMEOUT` is lost. */
  beat(): void {
    this.#heartbeat
      .follow(this.client.ping(ACCEPT_TIMEOUT))
      .then((running) => {
        this.#foreign = Math.max(0, running - this.#running.size);
      })
      .catch((cause) => this.client.lose(cause));
    if (!this.isResponsive) for (const listener of [...this.#onSilent]) listener();
  }

  /** Calls `listener` with each beat while the tab is silent. Returns the function that ends this. */
  whileSilent(listener: () => void): () => void {
    this.#onSilent.add(listener);
    return () => void this.#onSilent.delete(listener);
  }

  /** The last report, read once. */
  #reported() {
    const raw = this.client.report;
    if (this.#read && this.#read.raw === raw) return this.#read;
    const report = readServerReport(raw);
    const names = (models: string[] = []) => new Set(models.map((name) => this.options.canonical(name)));
    this.#read = { raw, report, models: names(report.models), loaded: names(report.loaded) };
    return this.#read;
  }
}
