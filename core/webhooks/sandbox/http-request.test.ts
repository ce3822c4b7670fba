import { describe, expect, it } from 'vitest';
import type { Network } from '#core/host';
import { TestClock } from '#test/support/host/test-clock.ts';
import { type CodeHttpRequest, sandboxHttpRequest } from './http-request.ts';

interface SeenRequest {
  url: string;
  method: string;
  headers: Headers;
  body: unknown;
}

function open(response: () => Response = () => Response.json({ fine: true }), more: Partial<Network> = {}) {
  const seen: SeenRequest[] = [];
  const network: Network = {
    readsRedirects: true,
    async fetch(url, init) {
      const { method, headers, body } = init!;
      seen.push({ url: String(url), method: method!, headers: headers as Headers, body });
      return response();
    },
    ...more,
  };
  const request = (changes: Partial<CodeHttpRequest> = {}) =>
    sandboxHttpRequest(
      { url: 'http://a.test/p', ...changes },
      { network, clock: new TestClock() },
      new AbortController().signal,
    );
  return { seen, request };
}

async function sentBy(changes: Partial<CodeHttpRequest>): Promise<SeenRequest> {
  const { seen, request } = open();
  await request(changes);
  return seen[0]!;
}

describe('the request', () => {
  it('is a GET without a body by default', async () => {
    const { url, method, headers, body } = await sentBy({});
    expect({ url, method, headers: [...headers], body }).toEqual({
      url: 'http://a.test/p',
      method: 'GET',
      headers: [],
      body: undefined,
    });
  });

  it.each([
    [{ url: '/q?a=1', baseURL: 'http://b.test/x/' }, 'http://b.test/q?a=1'],
    [{ qs: { a: [1, 2], b: 'c d' } }, 'http://a.test/p?a=1&a=2&b=c%20d'],
    [{ qs: { a: [1, 2] }, arrayFormat: 'indices' as const }, 'http://a.test/p?a%5B0%5D=1&a%5B1%5D=2'],
  ])('%j goes to its address', async (changes, address) => {
    const { url } = await sentBy(changes);
    expect(url).toBe(address);
  });

  it('has the method in capitals and every header that has a value', async () => {
    const { method, headers } = await sentBy({
      method: 'patch',
      headers: { 'X-One': 1, 'x-none': null, 'x-undefined': undefined },
      auth: { username: 'u', password: 'p' },
    });
    expect(method).toBe('PATCH');
    expect(Object.fromEntries(headers)).toEqual({ 'x-one': '1', authorization: 'Basic dTpw' });
  });

  it.each([
    ['text', { body: 'as it is' }, 'as it is', null],
    ['an object', { body: { a: 'ü' } }, '{"a":"ü"}', 'application/json'],
    ['an object with a content type', { body: {}, headers: { 'content-type': 'a/b' } }, '{}', 'a/b'],
    [
      'a form',
      { body: { a: 1, b: 'x y' }, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'a=1&b=x+y',
      'application/x-www-form-urlencoded',
    ],
    ['null', { body: null }, undefined, null],
    ['bytes', { bytes: new Uint8Array([1, 2]) }, new Uint8Array([1, 2]), null],
  ])('sends %s as its body', async (_name, changes, body, type) => {
    const request = await sentBy({ method: 'POST', ...changes });
    expect(request.body instanceof URLSearchParams ? String(request.body) : request.body).toEqual(body);
    expect(request.headers.get('content-type')).toBe(type);
  });

  it('sends a multipart form with text and files', async () => {
    const { body } = await sentBy({
      method: 'POST',
      fields: [
        { name: 'a', value: 'text' },
        { name: 'f', bytes: new Uint8Array([7]), fileName: 'x.bin' },
        { name: 'g', bytes: new Uint8Array() },
      ],
    });
    const form = body as FormData;
    expect(form.get('a')).toBe('text');
    const [file, other] = [form.get('f') as File, form.get('g') as File];
    expect([file.name, other.name]).toEqual(['x.bin', 'g']);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array([7]));
  });

  it('accepts untrusted certificates where the platform can', async () => {
    const rules: unknown[] = [];
    const { request } = open(undefined, {
      withRules: (rule) => {
        rules.push(rule);
        return { fetch: async () => new Response('untrusted') };
      },
    });
    expect(await request({ skipSslCertificateValidation: true })).toEqual({ value: 'untrusted' });
    expect(rules).toEqual([{ acceptsAnyCertificate: true }]);
    await expect(open().request({ skipSslCertificateValidation: true })).rejects.toThrow(
      'A browser does not let a page accept untrusted certificates',
    );
  });
});

describe('the response', () => {
  const json = () => Response.json({ a: 1 });
  const text = () => new Response('{"a":1}', { headers: { 'content-type': 'text/plain' } });

  it.each([
    ['JSON by its type', json, {}, { value: { a: 1 } }],
    ['JSON as text', json, { encoding: 'text' }, { value: '{"a":1}' }],
    ['text by its type', text, {}, { value: '{"a":1}' }],
    ['text as JSON', text, { json: true }, { value: { a: 1 } }],
    ['text as JSON by the encoding', text, { encoding: 'json' }, { value: { a: 1 } }],
    ['invalid JSON', () => new Response('{'), { json: true }, { value: '{' }],
    ['bytes', () => new Response('ab'), { encoding: 'arraybuffer' }, { bytes: new Uint8Array([97, 98]) }],
    ['a stream', () => new Response('ab'), { encoding: 'stream' }, { bytes: new Uint8Array([97, 98]) }],
  ] as [string, () => Response, Partial<CodeHttpRequest>, unknown][])(
    'is read: %s',
    async (_name, response, changes, result) => {
      expect(await open(response).request(changes)).toEqual(result);
    },
  );

  it('is an error where its status is one', async () => {
    const missing = () => new Response('no', { status: 404 });
    await expect(open(missing).request()).rejects.toThrow('Request failed with status code 404');
    expect(await open(missing).request({ ignoreHttpStatusErrors: true })).toEqual({ value: 'no' });
  });

  it('may be a redirect when none is followed', async () => {
    const moved = () => new Response(null, { status: 302, headers: { location: '/x' } });
    expect(await open(moved).request({ disableFollowRedirect: true, returnFullResponse: true })).toEqual({
      value: '',
      response: { headers: { location: '/x' }, statusCode: 302, statusMessage: '' },
    });
  });

  it('has its status and headers when they are requested', async () => {
    const teapot = () =>
      new Response('x', {
        status: 418,
        statusText: 'Teapot',
        headers: { 'x-a': 'b', 'content-type': 't/p' },
      });
    const request = { returnFullResponse: true, ignoreHttpStatusErrors: true };
    expect(await open(teapot).request(request)).toEqual({
      value: 'x',
      response: {
        headers: { 'x-a': 'b', 'content-type': 't/p' },
        statusCode: 418,
        statusMessage: 'Teapot',
      },
    });
  });

  it('must arrive within the timeout', async () => {
    const clock = new TestClock();
    const network: Network = {
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
        }),
    };
    const request = { url: 'http://a.test/', timeout: 50 };
    const response = sandboxHttpRequest(request, { network, clock }, new AbortController().signal);
    const rejection = expect(response).rejects.toThrow('timeout of 50ms exceeded');
    await clock.advance(50);
    await rejection;
    expect(clock.pending).toBe(0);
  });
});
