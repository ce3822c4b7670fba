import { describe, expect, it } from 'vitest';
import type { Network } from '#core/host';
import { TestClock } from '#test/support/host/test-clock.ts';
import { type OutgoingRequest, send } from './send.ts';

interface Seen {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Answers by path; a string is where it leads to, with the status in front of it. */
function open(answers: Record<string, string>) {
  const seen: Seen[] = [];
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
  const request = async (more: Partial<OutgoingRequest> = {}) => {
    const headers = new Headers({
      authorization: 'a',
      cookie: 'c',
      'x-key': 'k',
      'content-type': 'text/plain',
      'x-other': 'o',
    });
    const outgoing: OutgoingRequest = {
      method: 'POST',
      url: 'https://a.test/',
      headers,
      body: 'text',
      followRedirects: true,
      maxRedirects: 3,
      timeout: 1000,
      secretHeaders: ['x-key'],
      ...more,
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
  ])('%s goes on with %s', async (status, method, body) => {
    const { seen, request } = open({ 'a.test/': `${status} /next` });
    expect(await request()).toBe(200);
    expect(seen[1]).toMatchObject({ url: 'https://a.test/next', method });
    expect(seen[1]!.body).toBe(body);
    expect(seen[1]!.headers['content-type']).toBe(body && 'text/plain');
    expect(seen[1]!.headers).toMatchObject({ authorization: 'a', 'x-key': 'k' });
  });

  it('keep secrets from other servers, and from the first one after that', async () => {
    const { seen, request } = open({
      'a.test/': '307 https://b.test/',
      'b.test/': '307 https://a.test/back',
    });
    await request();
    expect(seen.map(({ url }) => url)).toEqual(['https://a.test/', 'https://b.test/', 'https://a.test/back']);
    for (const { headers } of seen.slice(1))
      expect(headers).toEqual({ 'content-type': 'text/plain', 'x-other': 'o' });
  });

  it('are counted, and left alone where asked', async () => {
    const circle = open({ 'a.test/': '302 /' });
    await expect(circle.request()).rejects.toThrow('Maximum number of redirects exceeded (3)');
    expect(circle.seen).toHaveLength(4);
    const kept = open({ 'a.test/': '302 /' });
    expect(await kept.request({ followRedirects: false })).toBe(302);
    expect(kept.seen).toHaveLength(1);
  });
});
