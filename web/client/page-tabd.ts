import { recordsSchema } from '#core/host';
import { API_NAMES } from '#core/http';
import {
  type AttachMessage,
  BUILD,
  type CoordinationMessage,
  clientLock,
  coordinationChannel,
  type HandleOptions,
  holdLock,
  ServerConnection,
  type ToServiceWorker,
  writeHandleOptions,
} from '#relay';
import { ServerTerm } from './leadership/leader-term.ts';
import { Leadership, type LeaderTerm } from './leadership/leadership.ts';
import { OwnedServer } from './leadership/owned-server.ts';
import { clientId, existingRegistration, registerServiceWorker, takeControl } from './registration.ts';
import { installModels } from './required-models.ts';
import { BridgeKey } from './server/bridge-key.ts';
import { createFetch, type FetchFunction } from './server/direct-fetch.ts';
import { DirectSocket } from './server/direct-socket.ts';
import { openChannel, type ServerRoutes } from './server/server-channel.ts';
import { ServerControlClient } from './server/server-control.ts';
import {
  type ImportProgress,
  type ModelProgress,
  type ModelStanding,
  StartError,
  type StartOptions,
  type Tabd,
  type TabdState,
} from './types.ts';

/** Milliseconds between checks whether all requests have ended, so that an update can be activated. */
const IDLE_POLL = 1000;
/** Milliseconds after the start until the service worker caches the rest of the app's files. */
const COMPLETE_DELAY = 3000;

/**
 * tabd in one page, from `start` to `stop`. It takes no part in the election while the page is in the back/forward
 * cache.
 */
export class PageTabd extends EventTarget implements Tabd {
  readonly fetch: FetchFunction;
  readonly #page = crypto.randomUUID();
  readonly #answered: HandleOptions;
  readonly #scope: string;
  readonly #nativeFetch = globalThis.fetch.bind(globalThis);
  readonly #ways: ServerRoutes;
  readonly #link: ServerConnection;
  readonly #control: ServerControlClient;
  #state: TabdState;
  #leadership: Leadership | undefined;
  #term: ServerTerm | undefined;
  #registration: ServiceWorkerRegistration | undefined;
  #clientLock: (() => void) | undefined;
  #calls: BroadcastChannel | undefined;
  #running = false;
  #watchesUpdates = false;
  #modelsReady: Promise<void> = Promise.resolve();
  readonly #stopped = new AbortController();

  constructor(
    private readonly options: StartOptions,
    private readonly worker: URL,
  ) {
    super();
    const { apis = API_NAMES, prefix = '', reach = 'listed' } = options;
    this.#answered = { apis, prefix, reach, intercept: options.intercept };
    this.#scope = scopeOf(options);
    this.#state = {
      phase: 'starting',
      leading: false,
      serviceWorker: options.serviceWorker === false ? 'off' : 'starting',
      models: {},
    };
    this.#ways = {
      scope: this.#scope,
      ownServer: () => this.#own,
      serviceWorker: () => this.#registration?.active ?? undefined,
    };
    this.#link = new ServerConnection(this.#scope, `page ${BUILD}`, (server, held) =>
      openChannel(this.#ways, server, held),
    );
    this.#control = new ServerControlClient(this.#ways, options.onConsent);
    this.fetch = createFetch(this.#link, this.#answered, this.#nativeFetch);
  }

  /** The server worker of this page, while it leads. */
  get #own(): OwnedServer | undefined {
    return this.#term?.server;
  }

  get state(): Readonly<TabdState> {
    return this.#state;
  }

  get scope(): string {
    return this.#scope;
  }

  get modelsReady(): Promise<void> {
    return this.#modelsReady;
  }

  /** Resolves when requests are answered. Rejects with a `StartError`. */
  async start(): Promise<void> {
    if (!('locks' in navigator)) {
      throw new StartError(
        'no-locks',
        'This browser has no Web Locks here: open tabd at an https address or localhost.',
      );
    }
    if (!('Worker' in globalThis)) throw new StartError('no-workers', 'This browser runs no workers.');
    addEventListener('pagehide', this.#hidden);
    addEventListener('pageshow', this.#shown);
    if ('serviceWorker' in navigator) navigator.serviceWorker.addEventListener('message', this.#attach);
    if (this.options.patchFetch) globalThis.fetch = this.fetch as typeof fetch;
    try {
      await this.#enter();
    } catch (cause) {
      // Without the lock, another tab, perhaps of a newer build, can lead.
      this.#leave();
      throw cause;
    }
    this.#modelsReady = this.#fetchModels();
    // `state.models` has the error too: without this handler it would count as unhandled.
    this.#modelsReady.catch(() => {});
  }

  async stop(): Promise<void> {
    removeEventListener('pagehide', this.#hidden);
    removeEventListener('pageshow', this.#shown);
    if ('serviceWorker' in navigator) navigator.serviceWorker.removeEventListener('message', this.#attach);
    if (globalThis.fetch === this.fetch) globalThis.fetch = this.#nativeFetch;
    this.#stopped.abort(new DOMException('tabd was stopped', 'AbortError'));
    this.#leave();
    this.#set({ phase: 'stopped', leading: false });
  }

  connect(url: string | URL, protocols: string | string[] = []): WebSocket {
    const address = new URL(url, document.baseURI);
    address.protocol = address.protocol.replace('http', 'ws');
    return new DirectSocket(this.#link, address, [protocols].flat(), this.#answered.prefix ?? '');
  }

  async running(): Promise<number> {
    return (await this.#link.connect()).ping();
  }

  devices(): ReturnType<Tabd['devices']> {
    return this.#control.devices();
  }

  importFile(
    name: string,
    file: File | readonly File[],
    signal?: AbortSignal,
  ): AsyncIterable<ImportProgress> {
    return this.#control.importFiles(name, file instanceof File ? [file] : file, signal);
  }

  async bridge(token: string | undefined): Promise<void> {
    const memory = new BridgeKey(this.#scope);
    await this.#control.bridge(token === undefined ? memory.forget() : memory.create(token));
  }

  async #enter(): Promise<void> {
    this.#running = true;
    this.#calls = new BroadcastChannel(coordinationChannel(this.#scope));
    this.#calls.addEventListener('message', ({ data }: MessageEvent<CoordinationMessage>) => {
      if (data.call === 'serving') this.#offerConsent();
    });
    const me = { schema: recordsSchema.version, build: BUILD, page: this.#page };
    let failed!: (cause: Error) => void;
    const failure = new Promise<never>((_, reject) => {
      failed = reject;
    });
    failure.catch(() => {});
    this.#leadership = new Leadership(this.#scope, me, (epoch) => this.#lead(epoch, failed));
    this.#leadership.run().catch((cause: Error) => {
      failed(
        new StartError('server-failed', `The server worker could not be started: ${cause.message}`, {
          cause,
        }),
      );
    });
    const controlled = this.#connectServiceWorker();
    try {
      await Promise.race([this.#reachServer(), failure]);
    } catch (cause) {
      this.#set({ phase: 'failed', reason: (cause as Error).message });
      throw cause;
    }
    await controlled;
    if (this.#running) this.#set({ phase: 'ready', reason: undefined });
    this.#offerConsent();
  }

  /** Releases everything that would block other tabs while the page is in the back/forward cache. */
  #leave(): void {
    this.#running = false;
    this.#link.close();
    this.#control.close();
    this.#leadership?.stop();
    this.#leadership = undefined;
    this.#calls?.close();
    this.#clientLock?.();
    this.#clientLock = undefined;
  }

  readonly #hidden = () => this.#leave();

  readonly #shown = (event: PageTransitionEvent) => {
    if (!event.persisted || this.#running) return;
    this.#set({ phase: 'starting', leading: false });
    this.#enter().catch(() => this.#leave());
  };

  /** Connects a port that the service worker passes on to this page's server worker. */
  readonly #attach = ({ data, ports }: MessageEvent<AttachMessage | undefined>) => {
    if (data?.tabd !== 'attach' || data.page !== this.#page || !ports[0]) return;
    if (this.#own) this.#own.attach(ports[0], data.kind);
    else ports[0].close();
  };

  #lead(epoch: number, failed: (cause: Error) => void): LeaderTerm {
    const term = new ServerTerm(epoch, {
      startServer: (at) => this.#startServer(at, failed),
      running: () => this.running(),
      onEnd: () => {
        if (this.#term !== term) return;
        this.#term = undefined;
        this.#set({ leading: false });
      },
    });
    this.#term = term;
    this.#set({ leading: true });
    return term;
  }

  #startServer(epoch: number, failed: (cause: Error) => void): OwnedServer {
    const name = { schema: recordsSchema.version, epoch, page: this.#page };
    const { settings, consentAbove } = this.options;
    const own = new OwnedServer(this.worker, this.#scope, name, {
      ...settings,
      ...(consentAbove === undefined ? {} : { TABD_CONSENT_ABOVE: String(consentAbove) }),
    });
    own.ready
      .then(async () => {
        if (this.#own !== own) return;
        if (this.#state.phase === 'failed') this.#set({ phase: 'ready', reason: undefined });
        const bridge = new BridgeKey(this.#scope).link;
        if (bridge) await this.#control.bridge(bridge);
      })
      .catch((cause: Error) => {
        if (this.#own !== own) return;
        this.#set({ phase: 'failed', reason: cause.message });
        failed(cause);
      });
    return own;
  }

  /** Waits for the leading tab. While the server worker of that tab loads, requests wait in it. */
  async #reachServer(): Promise<void> {
    while (this.#running) {
      try {
        const client = await this.#link.connect();
        await client.ping();
        if (this.#own) await this.#own.ready;
        return;
      } catch (cause) {
        if ((cause as Error).name === 'VersionMismatch') {
          throw new StartError('version-mismatch', (cause as Error).message, { cause });
        }
        if (cause instanceof StartError) throw cause;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #connectServiceWorker(): Promise<void> {
    const { serviceWorker } = this.options;
    if (serviceWorker === false) return;
    try {
      const worker = serviceWorker ?? './sw.js';
      const before = await this.#registeredBefore(worker);
      const published = before && this.#publishClientId(before);
      published?.catch(() => {});
      const registration = await this.#register(worker);
      this.#registration = registration;
      await (published ?? this.#publishClientId(registration));
      if (!this.#running) return;
      await takeControl(registration);
      this.#set({ serviceWorker: 'controlling', serviceWorkerReason: undefined });
      this.#watchUpdates();
      setTimeout(
        () => registration.active?.postMessage({ tabd: 'complete' } satisfies ToServiceWorker),
        COMPLETE_DELAY,
      );
    } catch (cause) {
      this.#set({ serviceWorker: 'unavailable', serviceWorkerReason: (cause as Error).message });
    }
  }

  /** Publishes this page's client id in a lock name, so that the service worker can pass ports on to this page. */
  async #publishClientId(registration: ServiceWorkerRegistration): Promise<void> {
    const release = await holdLock(clientLock(this.#scope, this.#page, await clientId(registration)));
    if (this.#running) this.#clientLock = release;
    else release();
  }

  async #registeredBefore(worker: string | URL | ServiceWorkerRegistration) {
    if (typeof worker !== 'string' && !(worker instanceof URL)) return undefined;
    return existingRegistration(this.#serviceWorkerAt(worker), this.#scope);
  }

  async #register(worker: string | URL | ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
    if (typeof worker !== 'string' && !(worker instanceof URL)) return worker;
    if (this.#registration) return this.#registration;
    return registerServiceWorker(this.#serviceWorkerAt(worker), this.#scope, (takeOver) =>
      this.#updateWhenIdle(takeOver),
    );
  }

  #serviceWorkerAt(path: string | URL): URL {
    return writeHandleOptions(new URL(path, document.baseURI), this.#answered);
  }

  /** Activates an update when no request runs in any tab, so that none is interrupted. */
  async #updateWhenIdle(takeOver: () => void): Promise<void> {
    this.#set({ update: 'waiting' });
    while ((await this.running().catch(() => 0)) > 0) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_POLL));
    }
    takeOver();
  }

  /** Detects that a newer service worker was activated by any tab. */
  #watchUpdates(): void {
    if (this.#watchesUpdates) return;
    this.#watchesUpdates = true;
    const { serviceWorker } = navigator;
    let { controller } = serviceWorker;
    serviceWorker.addEventListener('controllerchange', () => {
      if (controller && serviceWorker.controller !== controller) this.#set({ update: 'active' });
      controller = serviceWorker.controller;
    });
  }

  #offerConsent(): void {
    this.#control.offerConsent().catch(() => {
      // This page cannot reach the server worker of another tab. That tab itself asks its user.
    });
  }

  async #fetchModels(): Promise<void> {
    const { models = [], prefix = '' } = this.options;
    const options = {
      fetch: this.fetch,
      prefix,
      models,
      onProgress: (detail: ModelProgress) => {
        this.options.onProgress?.(detail);
        this.dispatchEvent(new CustomEvent('progress', { detail }));
      },
      onStanding: (model: string, standing: ModelStanding) =>
        this.#set({ models: { ...this.#state.models, [model]: standing } }),
    };
    await installModels(options, this.#stopped.signal);
  }

  #set(change: Partial<TabdState>): void {
    this.#state = { ...this.#state, ...change };
    this.options.onState?.(this.#state);
    this.dispatchEvent(new Event('change'));
  }
}

/** The folder of the service worker: the part of the site to which this installation of tabd belongs. */
export function scopeFolder({ serviceWorker = false }: StartOptions): URL {
  if (serviceWorker === false) return new URL('./', document.baseURI);
  if (typeof serviceWorker === 'string' || serviceWorker instanceof URL) {
    return new URL('./', new URL(serviceWorker, document.baseURI));
  }
  return new URL(serviceWorker.scope);
}

function scopeOf(options: StartOptions): string {
  const { scope } = options;
  return (scope === undefined ? scopeFolder(options) : new URL(scope, document.baseURI)).pathname;
}
