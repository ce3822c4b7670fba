import { describe, expect, it } from 'vitest';
import type { Network } from '#core/host';
import { TestClock } from '#test/support/host/test-clock.ts';
import { type NetworkRequest, send } from './send.ts';

interface SeenRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

/** @param answers by host and path: a status, and the address that it redirects to */
function open(answers: Record<string, string>) {
  const seen: SeenRequest[] = [];
  const network: Network = {
    readsRedirects: true,
    async fetch(url, init) {
      const { pathname, host } = new URL(String(url));
      const headers = Object.fromEntries(init!.headers as Headers);
      seen.push({ url: String(url), method: init!.method!, headers, body: init!.body });
      const [status, location] = (answers[host + pathname] ?? '200').split(' ');
      return new Response(null, { status: Number(status), headers: location ? { location } : {} });
    },
  };
  const request = async (changes: Partial<NetworkRequest> = {}) => {
    const headers = new Headers({
      authorization: 'a',
      cookie: 'c',
      'x-key': 'k',
      'content-type': 'text/plain',
      'x-other': 'o',
    });
    const outgoing: NetworkRequest = {
      method: 'POST',
      url: 'https://a.test/',
      headers,
      body: 'text',
      followRedirects: true,
      maxRedirects: 3,
      timeout: 1000,
      secretHeaders: ['x-key'],
      ...changes,
    };
    const sent = await send(outgoing, { network, clock: new TestClock() }, new AbortController().signal);
    return sent.response.status;
  };
  return { seen, request };
}

describe('redirects', () => {
  it.each([
    ['301', 'GET', undefined],
    ['302', 'GET', undefined],
    ['303', 'GET', undefined],
    ['307', 'POST', 'text'],
    ['308', 'POST', 'text'],
  ])('with status %s repeat the request as %s', async (status, method, body) => {
    const { seen, request } = open({ 'a.test/': `${status} /next` });
    expect(await request()).toBe(200);
    expect(seen[1]).toMatchObject({ url: 'https://a.test/next', method });
    expect(seen[1]!.body).toBe(body);
    expect(seen[1]!.headers['content-type']).toBe(body && 'text/plain');
    expect(seen[1]!.headers).toMatchObject({ authorization: 'a', 'x-key': 'k' });
  });

  it('drop secret headers at the first other origin, for good', async () => {
    const { seen, request } = open({
      'a.test/': '307 https://b.test/',
      'b.test/': '307 https://a.test/back',
    });
    await request();
    expect(seen.map(({ url }) => url)).toEqual(['https://a.test/', 'https://b.test/', 'https://a.test/back']);
    for (const { headers } of seen.slice(1))
      expect(headers).toEqual({ 'content-type': 'text/plain', 'x-other': 'o' });
  });

  it('are limited in number, and can be switched off', async () => {
    const loop = open({ 'a.test/': '302 /' });
    await expect(loop.request()).rejects.toThrow('Maximum number of redirects exceeded (3)');
    expect(loop.seen).toHaveLength(4);
    const single = open({ 'a.test/': '302 /' });
    expect(await single.request({ followRedirects: false })).toBe(302);
    expect(single.seen).toHaveLength(1);
  });
});

describe('the timeout', () => {
  const url = 'https://a.test/';
  const outgoing: NetworkRequest = {
    method: 'GET',
    url,
    headers: new Headers(),
    followRedirects: true,
    maxRedirects: 3,
    timeout: 1000,
    secretHeaders: [],
  };
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  it('ends a request that has no response', async () => {
    const clock = new TestClock();
    const network: Network = { fetch: (_url, init) => untilAborted(init!.signal!), readsRedirects: true };
    const sent = send(outgoing, { network, clock }, new AbortController().signal);
    const rejected = expect(sent).rejects.toMatchObject({
      message: 'timeout of 1000ms exceeded',
      json: { code: 'ECONNABORTED' },
    });
    await clock.advance(1000);
    await rejected;
  });

  it('ends the reading of a body, and stops when the body was read', async () => {
    const clock = new TestClock();
    let signal: AbortSignal | undefined;
    const network: Network = {
      readsRedirects: true,
      fetch: async (_url, init) => {
        signal = init!.signal!;
        return new Response('done');
      },
    };
    const sent = await send(outgoing, { network, clock }, new AbortController().signal);
    expect(await sent.read((response) => response.text())).toBe('done');
    await clock.advance(5000);
    expect(signal!.aborted).toBe(false);
    const slow = await send(outgoing, { network, clock }, new AbortController().signal);
    const rejected = expect(slow.read(() => untilAborted(signal!))).rejects.toThrow(
      'timeout of 1000ms exceeded',
    );
    await clock.advance(1000);
    await rejected;
  });

  it('does not hide the reason of a caller that aborts', async () => {
    const controller = new AbortController();
    const network: Network = { fetch: (_url, init) => untilAborted(init!.signal!), readsRedirects: true };
    const sent = send(outgoing, { network, clock: new TestClock() }, controller.signal);
    controller.abort(new Error('canceled'));
    await expect(sent).rejects.toThrow('canceled');
  });
});

it('cannot follow a redirect in a browser, which hides where it leads', async () => {
  const response = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
  const network: Network = { fetch: async () => response };
  const request: NetworkRequest = {
    method: 'GET',
    url: 'https://a.test/',
    headers: new Headers(),
    followRedirects: false,
    maxRedirects: 3,
    timeout: 1000,
    secretHeaders: [],
  };
  const sent = send(request, { network, clock: new TestClock() }, new AbortController().signal);
  await expect(sent).rejects.toThrow('The address redirects, and a browser does not show where to');
});
