import type { Device, DownloadConsent } from '#core/host';
import type { ApiName, PathReach } from '#core/http';
import type { ImportLine as ImportProgress, SettingValues } from '#relay';

export type { ApiName, Device, DownloadConsent, ImportProgress, PathReach, SettingValues };

/**
 * The options of `start`. All are optional.
 *
 * @example
 * ```ts
 * import type { StartOptions } from 'tabd';
 *
 * export const options: StartOptions = { apis: ['local-models'], models: ['smollm2:135m'], consentAbove: 0 };
 * ```
 */
export interface StartOptions {
  /** The enabled APIs. Default: all. */
  apis?: readonly ApiName[];
  /** The path that precedes the paths of the APIs, e.g. `/ai` for `/ai/api/chat`. Default: none. */
  prefix?: string;
  /** With `whole`, tabd also answers unknown paths below `/api` and `/v1`. Default `listed`: documented paths only. */
  reach?: PathReach;
  /**
   * Origins of local servers that tabd replaces for clients in the page, such as `http://localhost:11434`. The port
   * (11434, 8188 or 5678) selects the API. `true` means `localhost` and `127.0.0.1` with the ports of all enabled APIs.
   */
  intercept?: true | readonly string[];
  /** Models that the site requires. Missing ones are pulled as soon as tabd answers. See `modelsReady`. */
  models?: readonly string[];
  /**
   * Address of tabd's `sw.js`. Default: next to the page, or with `tabd/vite` at the site's base. Or the registration of
   * the site's own service worker, which calls `handle`. With false, only `fetch` of the returned object works.
   */
  serviceWorker?: string | URL | ServiceWorkerRegistration | false;
  /**
   * Address of tabd's `server.worker.js`. Default: next to the package's other files. In a bundle: in the folder `tabd`
   * next to the service worker, where `tabd/vite` and `tabd copy` put it.
   */
  worker?: string | URL;
  /** The path that identifies this installation on its origin. Default: the scope of the service worker. */
  scope?: string;
  /** Replaces `window.fetch`, so that the page's requests to tabd bypass the service worker. */
  patchFetch?: boolean;
  /** Settings by their environment names: `OLLAMA_KEEP_ALIVE`, `HF_ENDPOINT`, `HF_TOKEN` … */
  settings?: SettingValues;
  /**
   * Called before a large download; true allows it. Pages without it allow none. `signal` aborts when another page has
   * answered.
   */
  onConsent?(request: DownloadConsent, signal: AbortSignal): boolean | Promise<boolean>;
  /** The size in bytes above which a download needs consent. 0: always. Default: 256 MiB. */
  consentAbove?: number;
  /** Called on every change of `state`. It also gets the changes before `start` returns, unlike the event `change`. */
  onState?(state: Readonly<TabdState>): void;
  /** Called with the progress of downloads of `models`. The event `progress` has the same data. */
  onProgress?(progress: ModelProgress): void;
}

/**
 * Progress of the download of one of the site's `models`.
 *
 * @example
 * ```ts
 * import type { ModelProgress } from 'tabd';
 *
 * const percent = ({ completed, total }: ModelProgress) => (total > 0 ? Math.round((100 * completed) / total) : 0);
 * console.log(percent({ model: 'smollm2:135m', status: 'pulling', completed: 50, total: 200 })); // 25
 * ```
 */
export interface ModelProgress {
  model: string;
  /** The status of `/api/pull`: `pulling manifest`, `verifying sha256 digest`, `success` … */
  status: string;
  /** Downloaded bytes of all files. */
  completed: number;
  /** Size in bytes of all files that the download has reached; 0 before the first one. */
  total: number;
}

/**
 * The state of one of the site's `models`.
 *
 * @example
 * ```ts
 * import type { ModelStanding } from 'tabd';
 *
 * const text = ({ phase, reason }: ModelStanding) => (reason === undefined ? phase : `${phase}: ${reason}`);
 * console.log(text({ phase: 'failed', reason: 'no network' })); // failed: no network
 * ```
 */
export interface ModelStanding {
  phase: 'checking' | 'downloading' | 'ready' | 'declined' | 'failed';
  /** The reason of `declined` and `failed`. */
  reason?: string;
}

/**
 * The state of tabd in a page.
 *
 * @example
 * ```ts
 * import type { TabdState } from 'tabd';
 *
 * const canAsk = ({ phase, serviceWorker }: TabdState) => phase === 'ready' && serviceWorker === 'controlling';
 * console.log(canAsk({ phase: 'ready', leading: true, serviceWorker: 'off', models: {} })); // false
 * ```
 */
export interface TabdState {
  /**
   * `starting`: no tab answers yet. `ready`: a tab of this browser answers. `failed`: see `reason`. `stopped`: after
   * `stop()`.
   */
  phase: 'starting' | 'ready' | 'failed' | 'stopped';
  reason?: string;
  /** Whether this page owns the server worker. */
  leading: boolean;
  /**
   * `controlling`: the global `fetch` of this page works. `off`: disabled by the options. `unavailable`: the browser
   * offers none here, as in private windows and at insecure addresses; `fetch` of the Tabd object still works.
   */
  serviceWorker: 'starting' | 'controlling' | 'off' | 'unavailable';
  /** The reason of `unavailable`. */
  serviceWorkerReason?: string;
  /** A newer version: `waiting` until no request runs, or `active` after a reload of the page. */
  update?: 'waiting' | 'active';
  /** The site's `models`, by name. */
  models: Readonly<Record<string, ModelStanding>>;
}

/**
 * The events of a `Tabd` object.
 *
 * @example
 * ```ts
 * import type { Tabd, TabdEventMap } from 'tabd';
 *
 * export function watch(tabd: Tabd, show: (event: TabdEventMap['progress']) => void) {
 *   tabd.addEventListener('progress', show);
 * }
 * ```
 */
export interface TabdEventMap {
  /** Fired after `state` has changed. */
  change: Event;
  progress: CustomEvent<ModelProgress>;
}

/**
 * tabd in this page, as `start` returns it.
 *
 * @example
 * ```ts browser
 * import { start, type Tabd } from 'tabd';
 *
 * const tabd: Tabd = await start();
 * const response = await tabd.fetch('/api/tags');
 * const { models } = await response.json();
 * ```
 */
export interface Tabd extends EventTarget {
  readonly state: Readonly<TabdState>;
  /** The path that identifies this installation on its origin. */
  readonly scope: string;
  /** Resolves when all `models` are installed. Rejects with the first `ModelError`. */
  readonly modelsReady: Promise<void>;
  addEventListener<Type extends keyof TabdEventMap>(
    type: Type,
    listener: (event: TabdEventMap[Type]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  /**
   * Like the global `fetch`, but requests to tabd's paths on this origin go directly to the server worker. They need no
   * service worker, and an abort takes effect at once. Streams have no time limit.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /** Opens a WebSocket to one of tabd's paths (`/ws`), with the interface of the browser's `WebSocket`. */
  connect(url: string | URL, protocols?: string | string[]): WebSocket;
  /** The number of running requests of all tabs, which an end of the server would interrupt. */
  running(): Promise<number>;
  /** The device of each loaded model, by its display name. */
  devices(): Promise<Record<string, Device>>;
  /**
   * Installs a model from a local file under `name`, or from all parts of one that was split, in any order. Yields the
   * progress; throws when it fails or `signal` aborts.
   */
  importFile(name: string, file: File | readonly File[], signal?: AbortSignal): AsyncIterable<ImportProgress>;
  /**
   * Makes this browser answer the requests at the ports of the shim that serves this page. `token` is the one in the
   * link that `--via-tab` prints. The leading tab reconnects after a reload. Undefined ends the bridge.
   */
  bridge(token: string | undefined): Promise<void>;
  /** Ends tabd in this page. Another open tab takes over. */
  stop(): Promise<void>;
}

/**
 * tabd cannot start; `code` says why.
 *
 * @example
 * ```ts
 * import { StartError } from 'tabd';
 *
 * const error: unknown = new StartError('no-locks', 'open tabd at an https address');
 * if (error instanceof StartError) console.log(`${error.code}: ${error.message}`); // no-locks: open tabd at an https address
 * ```
 */
export class StartError extends Error {
  override name = 'StartError';
  constructor(
    readonly code: /** An option is invalid; the message names it. */
      | 'invalid-options'
      /** The address is neither https nor localhost, or the browser is too old. */
      | 'no-locks'
      | 'no-workers'
      /** The server worker could not open its storage, or the browser ended it. */
      | 'server-failed'
      /** Another tab runs an incompatible version: reload both. */
      | 'version-mismatch'
      | 'worker-not-found',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/**
 * One of the site's `models` could not be installed.
 *
 * @example
 * ```ts
 * import { ModelError } from 'tabd';
 *
 * const error: unknown = new ModelError('declined', 'llama3.2', 'the download was declined');
 * if (error instanceof ModelError) console.log(error.model, error.code); // llama3.2 declined
 * ```
 */
export class ModelError extends Error {
  override name = 'ModelError';
  constructor(
    /** `declined`: the user refused, or no page could ask. `failed`: the message says why. */
    readonly code: 'declined' | 'failed',
    readonly model: string,
    message: string,
  ) {
    super(message);
  }
}
