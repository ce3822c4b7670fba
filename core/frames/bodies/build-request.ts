import type { HeaderList } from '../grammar.ts';

/**
 * The Request that a frame describes. It differs from a plain `new Request` where browsers fall short:
 * - They drop headers such as `host` and `cookie`. Here the request shows all of them.
 * - Firefox and Safari take no stream as a body. There the body is collected first.
 */
export async function buildRequest(
  { method, url, headers }: { method: string; url: string; headers: HeaderList },
  body: ReadableStream<Uint8Array> | Blob | undefined,
  signal: AbortSignal,
): Promise<Request> {
  const canHaveBody = method !== 'GET' && method !== 'HEAD';
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal };
  if (body && canHaveBody) {
    init.body = body instanceof Blob || takesStreams() ? body : await new Response(body).blob();
    init.duplex = 'half';
  }
  const request = new Request(url, init);
  if (headers.some(([name]) => !request.headers.has(name))) {
    Object.defineProperty(request, 'headers', { value: new Headers(headers), enumerable: true });
  }
  return request;
}

let takesStreamsCache: boolean | undefined;

/**
 * Whether a Request takes a ReadableStream as its body. A browser without that feature never reads `duplex`, and turns the
 * stream into a text with a content type.
 */
function takesStreams(): boolean {
  if (takesStreamsCache === undefined) {
    let isDuplexRead = false;
    const init = {
      method: 'POST',
      body: new ReadableStream<Uint8Array>(),
      get duplex(): 'half' {
        isDuplexRead = true;
        return 'half';
      },
    };
    try {
      takesStreamsCache = !new Request('http://localhost/', init).headers.has('content-type') && isDuplexRead;
    } catch {
      takesStreamsCache = false;
    }
  }
  return takesStreamsCache;
}
