/** Sends one request: the HTTP Request node and `this.helpers.httpRequest` of Code nodes. */
import type { Clock, Network } from '#core/host';
import { RequestError } from './request-error.ts';

export type RequestBody = NonNullable<RequestInit['body']>;

export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Headers;
  body?: RequestBody;
  followRedirects: boolean;
  maxRedirects: number;
  /** Milliseconds until the whole answer has to be there. */
  timeout: number;
  /** Headers that only the server of the first address may see. */
  secretHeaders: string[];
}

/** The answer, and `timedOut`, which turns an error of reading its body into the one to show. */
export interface SentRequest {
  response: Response;
  read<T>(work: (response: Response) => Promise<T>): Promise<T>;
}

const SECRETS = ['authorization', 'cookie', 'proxy-authorization'];

export async function send(
  request: OutgoingRequest,
  parts: { network: Network; clock: Pick<Clock, 'after'> },
  signal: AbortSignal,
): Promise<SentRequest> {
  const late = new AbortController();
  const cancel = parts.clock.after(request.timeout, () => late.abort());
  const both = AbortSignal.any([signal, late.signal]);
  const explain = (error: unknown): never => {
    cancel();
    if (signal.aborted) throw signal.reason;
    if (!late.signal.aborted) throw error;
    throw new RequestError(`timeout of ${request.timeout}ms exceeded`, {
      code: 'ECONNABORTED',
      description:
        'The server took too long. Give it longer in the options, or let the node try again (settings).',
    });
  };
  try {
    const response = await follow(request, parts.network, both);
    return {
      response,
      async read(work) {
        try {
          return await work(response);
        } catch (error) {
          return explain(error);
        } finally {
          cancel();
        }
      },
    };
  } catch (error) {
    return explain(error);
  }
}

async function follow(request: OutgoingRequest, network: Network, signal: AbortSignal): Promise<Response> {
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
      for (const name of [...SECRETS, ...secretHeaders]) headers.delete(name);
    }
    // As browsers and curl do: what was sent is sent again only where the server says so.
    if (response.status === 303 || (response.status < 303 && method === 'POST')) {
      if (method !== 'HEAD') method = 'GET';
      body = undefined;
      for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
    }
    url = next.href;
  }
}

function init(
  { method, headers }: Pick<OutgoingRequest, 'method' | 'headers'>,
  body: RequestBody | undefined,
): RequestInit {
  return { method, headers, ...(body !== undefined && { body }) };
}
