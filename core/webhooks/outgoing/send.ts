/** Sends one request, for the HTTP Request node and for `this.helpers.httpRequest` of Code nodes. */
import type { Clock, Network } from '#core/host';
import { RequestError } from './request-error.ts';

export type RequestBody = NonNullable<RequestInit['body']>;

export interface NetworkRequest {
  method: string;
  url: string;
  headers: Headers;
  body?: RequestBody;
  followRedirects: boolean;
  maxRedirects: number;
  /** Milliseconds in which the response and its body must arrive. */
  timeout: number;
  /** Headers that only the server of the first address may see. */
  secretHeaders: string[];
}

/** A request whose response head has arrived. */
interface SentRequest {
  response: Response;
  /** Reads the body within the timeout, which ends afterwards. Rejects with a readable error when it is exceeded. */
  read<T>(work: (response: Response) => Promise<T>): Promise<T>;
}

/** Headers that are always secret. */
const SECRET_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/** Resolves at the response head. Rejects with `RequestError`, or with the signal's reason. */
export async function send(
  request: NetworkRequest,
  parts: { network: Network; clock: Pick<Clock, 'after'> },
  signal: AbortSignal,
): Promise<SentRequest> {
  const timeout = new AbortController();
  const clearTimer = parts.clock.after(request.timeout, () => timeout.abort());
  const signalOrTimeout = AbortSignal.any([signal, timeout.signal]);
  const rethrow = (error: unknown): never => {
    clearTimer();
    if (signal.aborted) throw signal.reason;
    if (!timeout.signal.aborted) throw error;
    throw new RequestError(`timeout of ${request.timeout}ms exceeded`, {
      code: 'ECONNABORTED',
      description:
        'The server took too long. Give it longer in the options, or let the node try again (settings).',
    });
  };
  try {
    const response = await follow(request, parts.network, signalOrTimeout);
    return {
      response,
      async read(work) {
        try {
          return await work(response);
        } catch (error) {
          return rethrow(error);
        } finally {
          clearTimer();
        }
      },
    };
  } catch (error) {
    return rethrow(error);
  }
}

/**
 * Follows redirects. Where the platform shows them, secret headers are dropped at the first change of origin. A browser
 * does not show them: it follows redirects by its own rules.
 */
async function follow(request: NetworkRequest, network: Network, signal: AbortSignal): Promise<Response> {
  const { followRedirects, maxRedirects, secretHeaders } = request;
  if (!network.readsRedirects) {
    const response = await network.fetch(request.url, {
      ...init(request, request.body),
      signal,
      redirect: followRedirects ? 'follow' : 'manual',
    });
    if (response.type !== 'opaqueredirect') return response;
    throw new RequestError('The address redirects, and a browser does not show where to', {
      description: 'Let the node follow redirects, or run the workflow on your computer with the tabd shim.',
    });
  }
  let { url, method, body } = request;
  const headers = new Headers(request.headers);
  for (let hops = 0; ; hops++) {
    const response = await network.fetch(url, {
      ...init({ method, headers }, body),
      signal,
      redirect: 'manual',
    });
    const location = response.headers.get('location');
    if (!followRedirects || location === null || ![301, 302, 303, 307, 308].includes(response.status)) {
      return response;
    }
    void response.body?.cancel().catch(() => undefined);
    if (hops >= maxRedirects) {
      throw new RequestError(`Maximum number of redirects exceeded (${maxRedirects})`, {
        code: 'ERR_FR_TOO_MANY_REDIRECTS',
      });
    }
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) {
      for (const name of [...SECRET_HEADERS, ...secretHeaders]) headers.delete(name);
    }
    // Redirects work as in browsers and curl. Only 307 and 308, and 301 and 302 of methods other than POST, keep method
    // and body.
    if (response.status === 303 || (response.status < 303 && method === 'POST')) {
      if (method !== 'HEAD') method = 'GET';
      body = undefined;
      for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
    }
    url = next.href;
  }
}

function init(
  { method, headers }: Pick<NetworkRequest, 'method' | 'headers'>,
  body: RequestBody | undefined,
): RequestInit {
  return { method, headers, ...(body !== undefined && { body }) };
}
