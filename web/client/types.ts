import type { Device, DownloadConsent } from '#core/host';
import type { ApiName, PathReach } from '#core/http';
import type { ImportLine as ImportProgress, SettingValues } from '#relay';

export type { ApiName, Device, DownloadConsent, ImportProgress, PathReach, SettingValues };

export interface StartOptions {
  /** The APIs that this site switches on. Default: all. */
  apis?: readonly ApiName[];
  /** Path below which they live, e.g. `/ai` for `/ai/api/chat`. Default: none. */
  prefix?: string;
  /** `whole`: unknown paths below `/api` and `/v1` are tabd's too. Default `listed`: only documented ones. */
  reach?: PathReach;
  /**
   * Origins of local servers that are answered as well: `http://localhost:11434`, for clients in the page that are set
   * to that address. The number of the port (11434, 8188, 5678) tells the API. `true`: the usual addresses of every API
   * that is switched on, at `localhost` and `127.0.0.1`.
   */
  intercept?: true | readonly string[];
  /** Models that this site needs: those that are not installed are pulled once tabd answers. See `modelsReady`. */
  models?: readonly string[];
  /**
   * Address of tabd's `sw.js` (default: beside the page, with `tabd/vite` at the site's base); or the registration of a service worker of the site's own
   * that calls `handle`; or false: only `fetch` of the returned object is answered.
   */
  serviceWorker?: string | URL | ServiceWorkerRegistration | false;
  /**
   * Address of tabd's `server.worker.js`. Default: beside the package's other files; in a bundle, in the folder `tabd`
   * beside the service worker, where `tabd/vite` and `tabd copy` put it.
   */
  worker?: string | URL;
  /** Path that this installation of tabd is known by on the origin. Default: the scope of the service worker. */
  scope?: string;
  /** Replaces `window.fetch`, so that requests of this page to tabd's paths take the direct port. */
  patchFetch?: boolean;
  /** Settings by their environment names: `OLLAMA_KEEP_ALIVE`, `HF_ENDPOINT`, `HF_TOKEN` … */
  settings?: SettingValues;
  /** Asked before a large download; a page without it agrees to none. `signal` aborts when somebody else has answered. */
  onConsent?(request: DownloadConsent, signal: AbortSignal): boolean | Promise<boolean>;
  /** Bytes above which a download is asked about; 0: always. Default 256 MiB. */
  consentAbove?: number;
  /** Every change of `state`, from the first one on, which nobody can listen for as the event `change`. */
  onState?(state: Readonly<TabdState>): void;
  /** Downloads of `models`; also the event `progress`. */
  onProgress?(progress: ModelProgress): void;
}

/** How far the download of one of the site's `models` is. */
export interface ModelProgress {
  model: string;
  /** As `/api/pull` says it: `pulling manifest`, `verifying sha256 digest`, `success` … */
  status: string;
  /** Bytes of all files known so far; 0 before the first one is. */
  completed: number;
  total: number;
}

export interface ModelStanding {
  phase: 'checking' | 'downloading' | 'ready' | 'declined' | 'failed';
  /** Why it is `declined` or `failed`. */
  reason?: string;
}

export interface TabdState {
  /**
   * `starting`: nothing can answer yet. `ready`: a tab of this browser answers. `failed`: `reason` says why not.
   * `stopped`: after `stop()`.
   */
  phase: 'starting' | 'ready' | 'failed' | 'stopped';
  reason?: string;
  /** Whether this page owns the server worker. */
  leading: boolean;
  /**
   * `controlling`: plain `fetch` of this page is answered. `off`: not asked for. `unavailable`: this browser has none
   * here (a private window, an insecure address); `fetch` of the Tabd object still works.
   */
  serviceWorker: 'starting' | 'controlling' | 'off' | 'unavailable';
  /** Why `serviceWorker` is `unavailable`. */
  serviceWorkerReason?: string;
  /** A newer version is `waiting` until nothing runs, or is `active`: reload to use it. */
  update?: 'waiting' | 'active';
  /** The site's `models`, by name. */
  models: Readonly<Record<string, ModelStanding>>;
}

export interface TabdEventMap {
  /** `state` has changed. */
  change: Event;
  progress: CustomEvent<ModelProgress>;
}

/** tabd in this page. */
export interface Tabd extends EventTarget {
  readonly state: Readonly<TabdState>;
  /** The path that this installation is known by on its origin. */
  readonly scope: string;
  /** Settles when all `models` are installed; rejects with the first `ModelError`. Settled already without `models`. */
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
   * As the global `fetch`, but requests to tabd's paths on this origin go straight to the server worker: no service
   * worker is needed, an abort is noticed at once, and a stream may last for ever.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /** A WebSocket to one of tabd's own paths (`/ws`). It has the interface of the browser's. */
  connect(url: string | URL, protocols?: string | string[]): WebSocket;
  /** Answers running anywhere that an end of the server would cut. */
  running(): Promise<number>;
  /** The device of each loaded model, by its display name. */
  devices(): Promise<Record<string, Device>>;
  /** Installs a model from a file of this computer under `name`. */
  importFile(name: string, file: File, signal?: AbortSignal): AsyncIterable<ImportProgress>;
  /**
   * Has this browser answer what arrives at the ports of the shim that serves this page, with the token of the link
   * that `--via-tab` prints; remembered, and taken up again by whichever tab leads. undefined ends it.
   */
  bridge(token: string | undefined): Promise<void>;
  /** Ends what this page runs. Another tab takes over if there is one. */
  stop(): Promise<void>;
}

/** tabd cannot run here; `code` says why. */
export class StartError extends Error {
  override name = 'StartError';
  constructor(
    readonly code: /** An option that cannot be meant; the message names it. */
      | 'invalid-options'
      /** The address is neither https nor localhost, or the browser is too old. */
      | 'no-locks'
      | 'no-workers'
      /** The server worker could not open its storage, or was ended. */
      | 'server-failed'
      /** Another tab runs a version that this one cannot talk to: reload both. */
      | 'version-mismatch'
      | 'worker-not-found',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** One of the site's `models` is not there. */
export class ModelError extends Error {
  override name = 'ModelError';
  constructor(
    /** `declined`: a person said no, or nobody could be asked. `failed`: the message says why. */
    readonly code: 'declined' | 'failed',
    readonly model: string,
    message: string,
  ) {
    super(message);
  }
}
