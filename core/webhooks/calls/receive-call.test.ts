/** The item of a call without its body, and rejected calls. */
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { ADDRESS, type CallOptions, post, receive } from '#test/support/webhooks/webhook-call.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../engine/engine.ts';
import { allowCall } from './preflight.ts';

const CREDENTIALS: Record<string, JsonObject> = {
  basic: { user: 'alice', password: 's3cret:é' },
  empty: { user: '', password: '' },
  header: { name: 'X-Api-Key', value: 'k3y' },
  badName: { name: 'X Api', value: 'k3y' },
  jwt: { keyType: 'passphrase', secret: 'jwtsecret', algorithm: 'HS256' },
};

let engine: Engine;
beforeAll(async () => {
  const credentials = {
    data: async (_type: string, { name }: { name: string }) => CREDENTIALS[name],
  };
  engine = (await openEngine({}, { credentials })).engine;
});
afterAll(() => engine.close());

const get = (search: string, headers: Record<string, string> = {}) =>
  new Request(`${ADDRESS}${search}`, { headers });

async function status(request: Request, options: CallOptions = {}) {
  const received = await receive(engine, request, options);
  return 'json' in received ? 'accepted' : `${received.status} ${received.text}`;
}

describe('the item', () => {
  const json = async (request: Request, options?: CallOptions) => {
    const got = await receive(engine, request, options);
    if (!('json' in got)) throw new Error(got.text);
    return got.json;
  };

  test('has all fields, in order', async () => {
    const item = await json(get('?a=1', { 'X-One': '1' }), { params: { id: '7' } });
    expect(Object.entries(item)).toEqual([
      ['headers', { host: 'localhost:5678', 'x-one': '1' }],
      ['params', { id: '7' }],
      ['query', { a: '1' }],
      ['body', {}],
      ['webhookUrl', ADDRESS],
      ['executionMode', 'production'],
    ]);
  });

  test.each([
    ['?a=1&a=2&b=x+y&c=%C3%A9&d', { a: ['1', '2'], b: 'x y', c: 'é', d: '' }],
    [
      '?arr[]=1&arr[]=2&o[k]=v&o[z][q]=1&idx[0]=a&idx[1]=b',
      { arr: ['1', '2'], o: { k: 'v', z: { q: '1' } }, idx: ['a', 'b'] },
    ],
    ['?a.b=1&constructor=2&__proto__[x]=3&c[__proto__][y]=4', { 'a.b': '1', constructor: '2', c: {} }],
    ['?bad=%zz&e=%26%3D&x=1,2', { bad: '%zz', e: '&=', x: '1,2' }],
    ['?a[b][c][d][e][f][g]=x', { a: { b: { c: { d: { e: { f: { '[g]': 'x' } } } } } } }],
    ['', {}],
  ])('query %s', async (search, query) => {
    expect((await json(get(search))).query).toEqual(query);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
  test('turns long lists in the query into objects', async () => {
    const search = `?${Array.from({ length: 25 }, (_, i) => `a[]=${i}`).join('&')}`;
    const { a } = (await json(get(search))).query as { a: object };
    expect(Array.isArray(a)).toBe(false);
    expect(Object.keys(a)).toHaveLength(25);
  });
  test('leaves out cookies of the server itself', async () => {
    const { headers } = await json(get('', { cookie: 'n8n-auth=x; mine=1; tabd-key=y; b=2' }));
    expect(headers.cookie).toBe('mine=1; b=2');
    expect((await json(get('', { cookie: 'n8n-auth=x' }))).headers).not.toHaveProperty('cookie');
  });
  test('is on the output of its method', async () => {
    const parameters = { multipleMethods: true, httpMethod: ['GET', 'POST'] };
    const { webhookCall } = await import('#test/support/webhooks/webhook-call.ts');
    const { receiveCall } = await import('./receive-call.ts');
    const received = await receiveCall(webhookCall(post('{}', 'application/json'), { parameters }), engine);
    expect('output' in received && received.output.map((items) => items?.length)).toEqual([0, 1]);
  });
});

describe('Basic Auth', () => {
  const options: CallOptions = {
    parameters: { authentication: 'basicAuth' },
    credentials: { httpBasicAuth: { id: '1', name: 'basic' } },
  };
  const by = (authorization?: string) =>
    status(post('{', 'application/json', authorization === undefined ? {} : { authorization }), options);
  const pair = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  test.each([
    [undefined, '401 Authorization is required!'],
    ['Basic !!!', '401 Authorization is required!'],
    ['Bearer abc', '401 Authorization is required!'],
    [pair('alice'), '401 Authorization is required!'],
    [pair('alice:x'), '401 Authentication data is wrong!'],
    [pair('bob:s3cret:é'), '401 Authentication data is wrong!'],
    [pair(':'), '401 Authentication data is wrong!'],
  ])('%s: %s', async (authorization, expected) => {
    expect(await by(authorization)).toBe(expected);
  });
  test('accepts the right password, then reads the body', async () => {
    expect(await by(pair('alice:s3cret:é'))).toMatch(/^422/);
    expect(await by(pair('alice:s3cret:é').replace('Basic', 'bAsIc'))).toMatch(/^422/);
  });
  test('asks for credentials', async () => {
    const got = await receive(engine, post('{}', 'application/json'), options);
    expect('headers' in got && got.headers.get('www-authenticate')).toBe('Basic realm="Webhook"');
  });
  test.each(['empty', 'deleted'])('a credential that is %s admits nobody', async (name) => {
    const without = { ...options, credentials: { httpBasicAuth: { id: null, name } } };
    expect(await status(post('{}', 'application/json', { authorization: pair(':') }), without)).toBe(
      '500 No authentication data defined on node!',
    );
  });
});

describe('Header Auth', () => {
  const options: CallOptions = {
    parameters: { authentication: 'headerAuth' },
    credentials: { httpHeaderAuth: { id: '1', name: 'header' } },
  };
  const by = (headers: Record<string, string>) => status(post('{}', 'application/json', headers), options);
  test('ignores case in the name, but not in the value', async () => {
    expect(await by({ 'x-api-key': 'k3y' })).toBe('accepted');
    for (const value of ['K3Y', 'k3y, k3y', '']) {
      const headers = { 'x-api-key': value };
      expect(await by(headers)).toBe('403 Authorization data is wrong!');
    }
  });
  test('rejects a call without the header', async () => {
    expect(await by({})).toBe('403 Authorization data is wrong!');
  });
  test('an unusable credential admits nobody', async () => {
    const bad = { ...options, credentials: { httpHeaderAuth: { id: '1', name: 'badName' } } };
    expect(await status(post('{}', 'application/json'), bad)).toMatch(/^500 /);
  });
});

describe('JWT Auth', () => {
  const options: CallOptions = {
    parameters: { authentication: 'jwtAuth' },
    credentials: { jwtAuth: { id: '1', name: 'jwt' } },
  };
  const sign = (secret: string) =>
    new SignJWT({ sub: 'x' }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
  const by = (authorization?: string) =>
    status(post('{}', 'application/json', authorization === undefined ? {} : { authorization }), options);

  test('accepts any scheme before the token', async () => {
    const got = await receive(
      engine,
      post('{}', 'application/json', { authorization: `Token ${await sign('jwtsecret')}` }),
      options,
    );
    expect('json' in got && got.json.jwtPayload).toEqual({ sub: 'x' });
  });
  test('rejects missing and invalid tokens', async () => {
    expect(await by()).toBe('401 No token provided');
    expect(await by('Bearer')).toBe('401 No token provided');
    expect(await by(`Bearer ${await sign('other')}`)).toBe('403 invalid signature');
    expect(await by('Bearer x')).toBe('403 jwt malformed');
  });
});

test('an unknown authentication admits nobody', async () => {
  expect(await status(post('{}'), { parameters: { authentication: 'n8nOAuth2' } })).toMatch(/^500 /);
});

describe('the list of client addresses', () => {
  const from = (clientAddress: string, ipWhitelist: unknown, headers: Record<string, string> = {}) =>
    status(post('{}', 'application/json', headers), {
      clientAddress,
      parameters: { options: { ipWhitelist } },
    });
  test.each([
    ['127.0.0.1', '', true],
    ['127.0.0.1', '10.0.0.1, 127.0.0.1', true],
    ['127.0.0.1', '127.0.0.0/8', true],
    ['::ffff:127.0.0.1', '127.0.0.0/8', true],
    ['2001:db8::5', '2001:db8::/32', true],
    ['2001:db8::5', '2001:0db8:0:0::5', true],
    ['127.0.0.1', '={{ "127.0.0." + 1 }}', true],
    ['127.0.0.1', '10.0.0.1', false],
    ['127.0.0.1', '127.0.0', false],
    ['127.0.0.1', '127.1', false],
    ['127.0.0.1', 'abc', false],
    ['127.0.0.1', '127.0.0.1/99', false],
    ['127.0.0.1', '::/0', false],
    ['', '0.0.0.0/0', false],
  ])('%s by "%s": %s', async (address, list, accepted) => {
    expect(await from(address, list)).toBe(
      accepted ? 'accepted' : '403 IP is not allowed to access the webhook!',
    );
  });
  test('X-Forwarded-For counts only behind trusted proxies', async () => {
    const forwarded = { 'x-forwarded-for': '9.9.9.9' };
    expect(await from('127.0.0.1', '9.9.9.9', forwarded)).toMatch(/^403/);
    const { engine: behind } = await openEngine({ settings: { N8N_PROXY_HOPS: '1' } });
    const via = async (list: string) => {
      const options = { parameters: { options: { ipWhitelist: '9.9.9.9' } } };
      const got = await receive(behind, post('{}', 'application/json', { 'x-forwarded-for': list }), options);
      return 'json' in got;
    };
    expect([await via('9.9.9.9'), await via('1.1.1.1, 9.9.9.9'), await via('9.9.9.9, 1.1.1.1')]).toEqual([
      true,
      true,
      false,
    ]);
    await behind.close();
  });
});

test('bots are rejected', async () => {
  const options = { parameters: { options: { ignoreBots: true } } };
  const by = (agent: string) => status(post('{}', 'application/json', { 'user-agent': agent }), options);
  expect(await by('curl/8.0')).toBe('403 Authorization data is wrong!');
  expect(await by('Slackbot-LinkExpanding 1.0')).toBe('403 Authorization data is wrong!');
  expect(await by('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe('accepted');
});

describe('Only Run If', () => {
  const by = (onlyRunIf: string, body = '{"a":1}') =>
    status(post(body, 'application/json'), { parameters: { options: { onlyRunIf } } });
  test('evaluates an expression over the item', async () => {
    expect(await by('={{ $json.body.a === 1 }}')).toBe('accepted');
    expect(await by('={{ $json.body.a === 2 }}')).toBe('200 {"message":"Webhook call received"}');
    expect(await by('={{ $json.body.none.deeper }}')).toBe('200 {"message":"Webhook call received"}');
    expect(await by('false')).toBe('accepted');
  });
  test('never evaluates values of the request', async () => {
    expect(await by('={{ $json.body.a }}', '{"a":"={{ false }}"}')).toBe('accepted');
    expect(await by('={{ $json.body.a }}', '{"a":"{{ 1/0 }}"}')).toBe('accepted');
  });
});

describe('pages of other sites', () => {
  const origin = (value: string) => ({ origin: value });
  const rule = (allowedOrigins?: string) => ({ methods: ['POST'], allowedOrigins });
  test('get a response to their preflight request', () => {
    const headers = new Headers({ ...origin('https://a.test'), 'access-control-request-headers': 'x-y' });
    const answer = allowCall(headers, rule());
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toEqual({
      'access-control-allow-headers': 'x-y',
      'access-control-allow-methods': 'OPTIONS, POST',
      'access-control-allow-origin': 'https://a.test',
      'access-control-max-age': '300',
      vary: 'Origin',
    });
  });
  test('are admitted by the list of the node', () => {
    const allowed = (list: string, from: string) =>
      allowCall(new Headers(origin(from)), rule(list)).headers.get('access-control-allow-origin');
    const list = 'https://a.test, https://b.test';
    expect(allowed(list, 'https://b.test')).toBe('https://b.test');
    expect(allowed(list, 'https://evil.test')).toBe('https://a.test');
    expect(allowed('*', 'https://evil.test')).toBe('https://evil.test');
  });
  test('may read why their call was rejected', async () => {
    const got = await receive(engine, post('{', 'application/json', origin('https://a.test')));
    expect('headers' in got && got.headers.get('access-control-allow-origin')).toBe('https://a.test');
  });
});
