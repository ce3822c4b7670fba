import { describe, expect, it } from 'vitest';
import type { Network } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { httpRequest } from '../http-request.ts';
import type { RequestDescription } from './describe-request.ts';
import { readTransferOptions, sendRequest } from './send-request.ts';

const FIRST: RequestDescription = {
  method: 'POST',
  url: 'http://a.test/#top',
  query: { a: [1, 2] },
  headers: { accept: 'x/y' },
  body: { kind: 'none' },
  arrays: 'repeat',
};
const NONE = { headers: {}, query: {}, body: {} };

async function send(
  request: Partial<RequestDescription>,
  authentication: object = {},
  answer: (count: number) => Response = () => Response.json({ ok: 1 }),
) {
  const sent: { url: string; headers: Headers; body: unknown }[] = [];
  const fetch = async (url: string | Request, init?: RequestInit) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers), body: init?.body });
    return answer(sent.length);
  };
  const transfer = { network: { fetch }, timeout: 1000, followRedirects: true, maxRedirects: 2 };
  const context = parameterContext(httpRequest, {}, { more: { sleep: () => new Promise(() => {}) } });
  const response = await sendRequest(
    { ...FIRST, ...request },
    { ...NONE, ...authentication },
    transfer,
    'json',
    context,
  );
  return { sent, response };
}

describe('a request', () => {
  it('has its query before the fragment, and its own headers in place of the defaults', async () => {
    const { sent, response } = await send({}, { query: { key: 'a&b' } });
    expect(sent[0]!.url).toBe('http://a.test/?a=1&a=2&key=a%26b#top');
    expect(sent[0]!.headers.get('accept')).toBe('x/y');
    expect(response).toMatchObject({ statusCode: 200, body: { ok: 1 } });
  });

  it.each([
    [{}, '{"s":1}'],
    [{ method: 'GET' }, undefined],
    [{ method: 'HEAD' }, undefined],
    [{ body: { kind: 'json', value: { s: 0, b: 2 } } }, '{"s":1,"b":2}'],
    [{ body: { kind: 'form', value: { b: 2 } } }, 'b=2&s=1'],
    [{ body: { kind: 'text', value: 'x', type: '' } }, 'x'],
  ] as const)('of %j takes the fields of a credential', async (request, body) => {
    const { sent } = await send(request as Partial<RequestDescription>, { body: { s: 1 } });
    expect(sent[0]!.body).toBe(body);
  });

  it.each([
    [{ method: 'GET', body: { kind: 'text', value: '', type: '' } }, 'A GET request cannot carry a body'],
    [{ headers: { 'a b': 'x' } }, 'The header "a b" cannot be sent'],
    [{ headers: { a: '€' } }, 'The header "a" cannot be sent'],
    [{ headers: { '': 'x' } }, 'The header "" cannot be sent'],
  ] as const)('of %j is refused', async (request, message) => {
    await expect(send(request as Partial<RequestDescription>)).rejects.toThrow(message);
  });
});

describe('digest authentication', () => {
  const digest = { user: 'u', password: 'p' };
  const challenge = (text: string) => () =>
    new Response('denied', { status: 401, headers: { 'www-authenticate': text } });

  it('sends the request twice at most', async () => {
    const { sent, response } = await send({}, { digest }, challenge('Digest nonce="n"'));
    expect(sent.map(({ headers }) => headers.has('authorization'))).toEqual([false, true]);
    expect(response.statusCode).toBe(401);
  });

  it.each(['Basic realm="r"', 'Digest qop="auth"'])('does not answer `%s`', async (text) => {
    expect((await send({}, { digest }, challenge(text))).sent).toHaveLength(1);
  });

  it('does not answer without the credential', async () => {
    expect((await send({}, {}, challenge('Digest nonce="n"'))).sent).toHaveLength(1);
  });
});

describe('the options', () => {
  const network: Network = { fetch: async () => new Response() };
  const read = (options: JsonObject, used: Network = network) =>
    readTransferOptions(parameterContext(httpRequest, { options }, { more: { network: used } }), 0);
  const DEFAULTS = { network, timeout: 300_000, followRedirects: true, maxRedirects: 21 };

  it.each([
    [{}, {}],
    [{ timeout: 5 }, { timeout: 5 }],
    [{ timeout: 0 }, {}],
    [{ timeout: 'soon' }, {}],
    [{ redirect: { redirect: { followRedirects: false } } }, { followRedirects: false }],
    [{ redirect: { redirect: { maxRedirects: 0 } } }, { maxRedirects: 0 }],
    [{ proxy: '  ', allowUnauthorizedCerts: false }, {}],
  ])('%j', async (options, changed) => expect(await read(options)).toEqual({ ...DEFAULTS, ...changed }));

  it.each([
    [{ proxy: ' http://p ' }, { proxy: 'http://p' }, 'choose a proxy'],
    [{ allowUnauthorizedCerts: true }, { acceptsAnyCertificate: true }, 'accept untrusted certificates'],
  ])('%j needs a network with rules', async (options, rules, message) => {
    const ruled: Network = { fetch: network.fetch };
    const seen: unknown[] = [];
    const withRules = (rulesOfNode: object) => {
      seen.push(rulesOfNode);
      return ruled;
    };
    expect((await read(options, { ...network, withRules })).network).toBe(ruled);
    expect(seen).toEqual([rules]);
    await expect(read(options)).rejects.toThrow(message);
  });
});
