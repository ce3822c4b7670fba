import { afterEach, expect, test, vi } from 'vitest';
import { buildRequest } from './build-request.ts';
import { isNullBodyStatus } from './null-body.ts';

const { signal } = new AbortController();
const head = { method: 'POST', url: 'http://app/x', headers: [['host', 'app:1']] as [string, string][] };
const stream = () => new Blob(['text']).stream();

afterEach(() => {
  vi.unstubAllGlobals();
});

/**
 * The module before it knows what the platform takes, loaded under an address of its own. A reset of all modules would load
 * those of other tests twice, and custom elements can be defined once only.
 */
async function freshBuildRequest(): Promise<typeof buildRequest> {
  const address = `./build-request.ts?fresh=${crypto.randomUUID()}`;
  return ((await import(address)) as { buildRequest: typeof buildRequest }).buildRequest;
}

test('method, URL, body and signal reach the request', async () => {
  const abort = new AbortController();
  const request = await buildRequest(head, stream(), abort.signal);
  expect([request.method, request.url, await request.text()]).toEqual(['POST', 'http://app/x', 'text']);
  abort.abort();
  expect(request.signal.aborted).toBe(true);
});

test.each(['GET', 'HEAD'])('%s has no body', async (method) => {
  expect((await buildRequest({ ...head, method }, stream(), signal)).body).toBeNull();
});

test('headers that the platform drops are readable', async () => {
  class DroppingRequest extends Request {
    constructor(input: string, init: RequestInit & { headers: [string, string][] }) {
      super(input, { ...init, headers: init.headers?.filter(([name]) => name !== 'host') });
    }
  }
  vi.stubGlobal('Request', DroppingRequest);
  const request = await buildRequest(head, undefined, signal);
  expect(request.headers.get('host')).toBe('app:1');
});

test('where a request takes no stream, its body is collected first', async () => {
  const bodies: unknown[] = [];
  class TextRequest extends Request {
    constructor(input: string, init: RequestInit) {
      bodies.push(init.body);
      // As in Firefox: `duplex` is never read, and a stream becomes a text.
      super(input, { method: init.method, headers: init.headers, body: String(init.body) });
    }
  }
  vi.stubGlobal('Request', TextRequest);
  const build = await freshBuildRequest();
  await build(head, stream(), signal);
  expect(bodies.at(-1)).toBeInstanceOf(Blob);
  expect(await (bodies.at(-1) as Blob).text()).toBe('text');
});

test('statuses without a body are those of the Fetch standard', () => {
  const statuses = Array.from({ length: 500 }, (_, index) => index + 100);
  expect(statuses.filter(isNullBodyStatus)).toEqual([101, 103, 204, 205, 304]);
});
