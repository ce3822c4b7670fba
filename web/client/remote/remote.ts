/** The guest's side of using the tabd of a page of another origin. */
import { FrameClient, portChannel, VersionMismatch } from '#core/frames';
import type { ApiName } from '#core/http';
import { BUILD, toOutgoingRequest } from '#relay';
import type { GuestHello, HostAnswer, Permission } from './messages.ts';
import { PROTOCOL } from './messages.ts';

export type { ApiName, Permission };

/**
 * The options of `connect`.
 *
 * @example
 * ```ts
 * import type { ConnectOptions } from 'tabd/remote';
 *
 * export const options: ConnectOptions = { origin: 'https://host.example', apis: ['local-models'], timeout: 5000 };
 * ```
 */
export interface ConnectOptions {
  /** The origin of the page that shares tabd. Messages of other origins are ignored. */
  origin: string;
  /** The requested APIs. Default: `local-models`. */
  apis?: readonly ApiName[];
  /** Requests also the right to change the other installation: models, workflows, queue. Default: false. */
  manage?: boolean;
  /** Milliseconds until the other page must react. Its user may take longer to answer. Default: 10,000. */
  timeout?: number;
  /** Cancels the attempt. */
  signal?: AbortSignal;
}

/**
 * The tabd of a page of another origin, as `connect` returns it.
 *
 * @example
 * ```ts
 * import type { Remote } from 'tabd/remote';
 *
 * export async function listModels(remote: Remote): Promise<unknown> {
 *   const response = await remote.fetch('/api/tags');
 *   return response.json();
 * }
 * ```
 */
export interface Remote {
  readonly permission: Permission;
  /**
   * Like the global `fetch`, for paths of the APIs (`/v1/chat/completions`) and addresses of the other origin. Pass it
   * to clients that accept a `fetch`. Requests beyond the permission get 403. Other addresses reject with a `TypeError`.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /** Resolves with the reason when the other page has closed or revoked its permission. */
  readonly closed: Promise<Error>;
  close(): void;
}

/**
 * The connection to a page of another origin failed.
 *
 * @example
 * ```ts
 * import { RemoteError } from 'tabd/remote';
 *
 * const error: unknown = new RemoteError('refused', 'https://host.example does not let https://guest.example use tabd');
 * if (error instanceof RemoteError) console.log(error.code); // refused
 * ```
 */
export class RemoteError extends Error {
  override name = 'RemoteError';
  constructor(
    /** `no-answer`: no page there shares tabd. `refused`: it denies this origin. `version`: incompatible versions. */
    readonly code: 'no-answer' | 'refused' | 'version',
    message: string,
  ) {
    super(message);
  }
}

/** Milliseconds between attempts, because the page may still load, and between checks whether its window is open. */
const RETRY_INTERVAL = 200;
const WINDOW_CHECK_INTERVAL = 1000;
/** Milliseconds. The other page passes requests on in its main thread, which may be busy. */
const ACCEPT_TIMEOUT = 10_000;

/**
 * Connects to the page in `target`, a frame or a window, that shares its tabd. Rejects with a `RemoteError`, or with the
 * reason of the signal.
 *
 * @example
 * ```ts browser
 * import { connect } from 'tabd/remote';
 *
 * const frame = document.querySelector('iframe')!;
 * const remote = await connect(frame.contentWindow!, { origin: 'https://host.example' });
 * const response = await remote.fetch('/v1/models');
 * remote.close();
 * ```
 */
export async function connect(
  target: Pick<Window, 'postMessage' | 'closed'>,
  options: ConnectOptions,
): Promise<Remote> {
  const { origin, apis = ['local-models'], manage = false, signal } = options;
  const hello: GuestHello = { tabd: 'connect', protocol: PROTOCOL, apis, manage };
  const { port, granted } = await requestConnection(target, hello, origin, options.timeout ?? 10_000, signal);
  const client = new FrameClient(portChannel(port as never), {
    build: `remote ${BUILD}`,
    acceptTimeout: ACCEPT_TIMEOUT,
  });
  await client.handshakeDone.catch((cause: Error) => {
    throw cause instanceof VersionMismatch ? new RemoteError('version', cause.message) : cause;
  });
  const windowCheck = setInterval(() => {
    if (target.closed) client.close('the window that shares tabd was closed');
  }, WINDOW_CHECK_INTERVAL);
  client.gone.then(() => clearInterval(windowCheck));
  const base = new URL(granted.base);
  const prefix = base.pathname.replace(/\/$/, '');
  return {
    permission: { apis: granted.apis, manage: granted.manage },
    closed: client.gone,
    close: () => client.close('this page has ended it'),
    async fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input);
      const address = /^\/(?!\/)/.test(url)
        ? new URL(prefix + url, base)
        : resolveAddress(url, input, base, prefix);
      if (!address) throw new TypeError(`${url} is no address of ${base.origin}, which shares tabd here`);
      const request = new Request(address, input instanceof Request ? requestInit(input, init) : init);
      request.signal.throwIfAborted();
      const body = init?.body instanceof Blob ? init.body : undefined;
      return client.fetch({ ...toOutgoingRequest(request, '', body), signal: request.signal });
    },
  };
}

/** Resolves an absolute address. A `Request` made from a path has the origin of this page. */
function resolveAddress(url: string, input: RequestInfo | URL, base: URL, prefix: string): URL | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.origin === base.origin) return address;
  if (!(input instanceof Request) || address?.origin !== location.origin) return undefined;
  return new URL(prefix + address.pathname + address.search, base);
}

function requestInit(request: Request, init: RequestInit = {}): RequestInit {
  const { method, headers, signal } = request;
  const body = method === 'GET' || method === 'HEAD' ? undefined : request.body;
  return { method, headers, signal, ...(body && { body, duplex: 'half' }), ...init } as RequestInit;
}

async function requestConnection(
  target: Pick<Window, 'postMessage'>,
  hello: GuestHello,
  origin: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<{ port: MessagePort; granted: Extract<HostAnswer, { tabd: 'granted' }> }> {
  signal?.throwIfAborted();
  const ports: MessagePort[] = [];
  let chosen: MessagePort | undefined;
  let stop = () => {};
  try {
    return await new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      const timeoutTimer = setTimeout(
        () => reject(new RemoteError('no-answer', `no page of ${origin} that shares tabd has answered`)),
        timeout,
      );
      const retryTimer = setInterval(() => attempt(), RETRY_INTERVAL);
      stop = () => {
        clearTimeout(timeoutTimer);
        clearInterval(retryTimer);
        signal?.removeEventListener('abort', abort);
      };
      function attempt() {
        const { port1, port2 } = new MessageChannel();
        ports.push(port1);
        port1.onmessage = ({ data }: MessageEvent<HostAnswer>) => {
          if (chosen && chosen !== port1) return;
          chosen = port1;
          clearTimeout(timeoutTimer);
          clearInterval(retryTimer);
          if (data.tabd === 'granted') resolve({ port: port1, granted: data });
          else if (data.tabd === 'refused') reject(new RemoteError('refused', data.message));
        };
        // The browser delivers the message to a page of that origin only.
        target.postMessage(hello, origin, [port2]);
      }
      attempt();
    });
  } catch (cause) {
    chosen?.close();
    throw cause;
  } finally {
    stop();
    for (const port of ports) {
      if (port === chosen) port.onmessage = null;
      else port.close();
    }
  }
}
