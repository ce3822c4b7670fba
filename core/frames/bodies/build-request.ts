import type { HeaderList } from '../grammar.ts';

/**
 * A Request from what travelled. Browsers drop names such as `host` and `cookie` from a Request's headers, and cannot
 * all take a stream as its body: the first is put right here, the second by collecting the body where it must be.
 */
export async function buildRequest(
  { method, url, headers }: { method: string; url: string; headers: HeaderList },
  body: ReadableStream<Uint8Array> | Blob | undefined,
  signal: AbortSignal,
): Promise<Request> {
  const bodyless = method === 'GET' || method === 'HEAD';
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal };
  if (body && !bodyless) {
    init.body = body instanceof Blob || streamsWork() ? body : await new Response(body).blob();
    init.duplex = 'half';
  }
  const request = new Request(url, init);
  if (headers.some(([name]) => !request.headers.has(name))) {
    Object.defineProperty(request, 'headers', { value: new Headers(headers), enumerable: true });
  }
  return request;
}

let works: boolean | undefined;
/** Whether a Request takes a ReadableStream as its body (Firefox and Safari turn it into text). */
function streamsWork(): boolean {
  if (works === undefined) {
    let asked = false;
    const init = {
      method: 'POST',
      body: new ReadableStream<Uint8Array>(),
      get duplex(): 'half' {
        asked = true;
        return 'half';
      },
    };
    try {
      works = !new Request('http://localhost/', init).headers.has('content-type') && asked;
    } catch {
      works = false;
    }
  }
  return works;
}
