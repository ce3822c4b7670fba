import { expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { parseName } from '../names/model-name.ts';
import { ConnectionError } from './http-file.ts';
import { RemoteRegistry } from './remote-registry.ts';

const MANIFEST = 'https://models.test/v2/me/mine/manifests/1';
const CHALLENGE =
  'Bearer realm="https://auth.test/token?a=1",service="models.test",scope="repository:me/mine:pull"';

/** A registry that answers 401 until a request has the token, and the requests that it received. */
function protectedRegistry(challenge: string | undefined, token: () => Response) {
  const host = createTestHost({
    fetch({ url, headers }) {
      if (url.startsWith('https://auth.test/')) return token();
      if (headers.get('authorization') === 'Bearer secret') return new Response('content');
      return new Response('denied', {
        status: 401,
        headers: challenge === undefined ? {} : { 'www-authenticate': challenge },
      });
    },
  });
  const registry = new RemoteRegistry(host.network, parseName('models.test/me/mine:1'), false);
  const get = (signal = neverAborted) => registry.request('GET', MANIFEST, {}, signal);
  return { registry, get, requested: host.requested };
}

test.each([
  [false, 'https://models.test/v2/me/mine'],
  [true, 'http://models.test/v2/me/mine'],
])('insecure %s: the address is %s', (insecure, base) => {
  const { network } = createTestHost();
  expect(new RemoteRegistry(network, parseName('models.test/me/mine:1'), insecure).base).toBe(base);
});

test.each(['token', 'access_token'])('fetches a token once, and sends it from then on: %s', async (field) => {
  const { get, requested } = protectedRegistry(CHALLENGE, () => Response.json({ [field]: 'secret' }));
  expect(await (await get()).text()).toBe('content');
  expect(await (await get()).text()).toBe('content');
  expect(requested.map(({ url }) => new URL(url).host)).toEqual([
    'models.test',
    'auth.test',
    'models.test',
    'models.test',
  ]);
  const query = new URL(requested[1]!.url).searchParams;
  expect(Object.fromEntries(query)).toEqual({
    a: '1',
    service: 'models.test',
    scope: 'repository:me/mine:pull',
  });
  expect(requested[1]!.headers.get('authorization')).toBeNull();
});

test('a server at another address does not receive the token', async () => {
  const { registry, get, requested } = protectedRegistry(CHALLENGE, () => Response.json({ token: 'secret' }));
  await get();
  await registry.requestElsewhere('PUT', 'https://store.test/part', { body: 'x' }, neverAborted);
  expect(requested.at(-1)!.method).toBe('PUT');
  expect(requested.at(-1)!.headers.get('authorization')).toBeNull();
});

test('a token that the registry rejects is not fetched again', async () => {
  const { get, requested } = protectedRegistry(CHALLENGE, () => Response.json({ token: 'outdated' }));
  expect((await get()).status).toBe(401);
  expect((await get()).status).toBe(401);
  expect(requested.filter(({ url }) => url.startsWith('https://auth.test/'))).toHaveLength(1);
});

test.each<[string, string | undefined]>([
  ['no challenge', undefined],
  ['another scheme', 'Basic realm="https://auth.test/"'],
  ['no realm', 'Bearer service="models.test"'],
  ['a realm that is no address', 'Bearer realm="auth"'],
])('returns the response when there is %s', async (_, challenge) => {
  const { get, requested } = protectedRegistry(challenge, () => Response.json({ token: 'secret' }));
  const response = await get();
  expect([response.status, await response.text()]).toEqual([401, 'denied']);
  expect(requested).toHaveLength(1);
});

test.each<[string, () => Response]>([
  ['an error', () => new Response('no', { status: 403 })],
  ['no JSON', () => new Response('<html>')],
  ['null', () => Response.json(null)],
  ['an empty token', () => Response.json({ token: '' })],
  ['a token that is no text', () => Response.json({ token: 7 })],
])('returns the response when the token server sends %s', async (_, token) => {
  const { registry, get } = protectedRegistry(CHALLENGE, token);
  const response = await get();
  expect([response.status, await response.text()]).toEqual([401, 'denied']);
  expect(registry.headers).toEqual({});
});

test('a connection that fails has a text of Ollama', async () => {
  const host = createTestHost();
  const registry = new RemoteRegistry(host.network, parseName('models.test/me/mine:1'), false);
  const sent = registry.request('HEAD', MANIFEST, {}, neverAborted);
  await expect(sent).rejects.toThrow(ConnectionError);
  await expect(sent).rejects.toThrow(`Head "${MANIFEST}": fetch failed`);
});

test('a cancelled request rejects with the reason of its signal', async () => {
  const { get } = protectedRegistry(CHALLENGE, () => Response.json({ token: 'secret' }));
  const reason = new Error('interrupted');
  await expect(get(AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('a cancellation while the token is fetched rejects with its reason', async () => {
  const abort = new AbortController();
  const reason = new Error('interrupted');
  const { registry, get } = protectedRegistry(CHALLENGE, () => {
    abort.abort(reason);
    throw new TypeError('fetch failed');
  });
  await expect(get(abort.signal)).rejects.toBe(reason);
  expect(registry.headers).toEqual({});
});
