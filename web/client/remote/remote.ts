/** tabd for pages of other origins, with one permission an origin: the end that asks. */
import { FrameClient, portChannel, VersionMismatch } from '#core/frames';
import type { ApiName } from '#core/http';
import { BUILD, toOutgoingRequest } from '#relay';
import type { GuestHello, HostAnswer, Permission } from './messages.ts';
import { PROTOCOL } from './messages.ts';

export type { ApiName, Permission };

export interface ConnectOptions {
  /** Of the page that shares tabd: only that one is asked, and believed. */
  origin: string;
  /** Default `local-models`. */
  apis?: readonly ApiName[];
  /** Ask also for what changes the other's installation: models, workflows, queue. Default false. */
  manage?: boolean;
  /** Milliseconds that the other page has to react at all; its person may take longer. Default 10,000. */
  timeout?: number;
  signal?: AbortSignal;
}

/** tabd of another page. */
export interface Remote {
  readonly permission: Permission;
  /**
   * As the global `fetch`, for paths of the APIs (`/v1/chat/completions`) and addresses of the other origin; give it to
   * clients that take a `fetch`. What the permission does not hold is answered with 403; other addresses are a
   * `TypeError`.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /** Settles, with the reason, when the other page is gone or has taken its permission back. */
  readonly closed: Promise<Error>;
  close(): void;
}

export class RemoteError extends Error {
  override name = 'RemoteError';
  constructor(
    /** `no-answer`: no page there shares tabd. `refused`: it does not let this origin. `version`: of other versions. */
    readonly code: 'no-answer' | 'refused' | 'version',
    message: string,
  ) {
    super(message);
  }
}

/** Milliseconds between two knocks at a page that may still be loading, and looks whether its window is open. */
const RETRY_INTERVAL = 200;
const WINDOW_CHECK_INTERVAL = 1000;
/** The other page passes requests on with its main thread, which may be busy. */
const ACCEPT_TIMEOUT = 10_000;

/**
 * Asks the page in `target`, a frame or a window, to answer this page. Rejects with a `RemoteError`, or with the reason
 * of the signal.
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
  const looking = setInterval(() => {
    if (target.closed) client.close('the window that shares tabd was closed');
  }, WINDOW_CHECK_INTERVAL);
  client.gone.then(() => clearInterval(looking));
  const base = new URL(granted.base);
  const prefix = base.pathname.replace(/\/$/, '');
  return {
    permission: { apis: granted.apis, manage: granted.manage },
    closed: client.gone,
    close: () => client.close('this page has ended it'),
    async fetch(input, init) {
      const given = input instanceof Request ? input.url : String(input);
      const address = /^\/(?!\/)/.test(given)
        ? new URL(prefix + given, base)
        : resolveAddress(given, input, base, prefix);
      if (!address) throw new TypeError(`${given} is no address of ${base.origin}, which shares tabd here`);
      const request = new Request(address, input instanceof Request ? requestInit(input, init) : init);
      request.signal.throwIfAborted();
      const body = init?.body instanceof Blob ? init.body : undefined;
      return client.fetch({ ...toOutgoingRequest(request, '', body), signal: request.signal });
    },
  };
}

/** Where an absolute address leads; a `Request` made with a path has that of this page. */
function resolveAddress(given: string, input: RequestInfo | URL, base: URL, prefix: string): URL | undefined {
  const address = URL.canParse(given) ? new URL(given) : undefined;
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
      const late = setTimeout(
        () => reject(new RemoteError('no-answer', `no page of ${origin} that shares tabd has answered`)),
        timeout,
      );
      const again = setInterval(() => once(), RETRY_INTERVAL);
      stop = () => {
        clearTimeout(late);
        clearInterval(again);
        signal?.removeEventListener('abort', abort);
      };
      function once() {
        const { port1, port2 } = new MessageChannel();
        ports.push(port1);
        port1.onmessage = ({ data }: MessageEvent<HostAnswer>) => {
          if (chosen && chosen !== port1) return;
          chosen = port1;
          clearTimeout(late);
          clearInterval(again);
          if (data.tabd === 'granted') resolve({ port: port1, granted: data });
          else if (data.tabd === 'refused') reject(new RemoteError('refused', data.message));
        };
        // Only a page of that origin gets to see it.
        target.postMessage(hello, origin, [port2]);
      }
      once();
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
