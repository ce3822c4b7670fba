import { beforeEach, describe, expect, it } from 'vitest';
import { BRIDGE_PROTOCOL } from '../bridge/pairing.ts';
import { TabBridge } from '../bridge/tab-bridge.ts';
import { TABS_PATH, tabsRoutes } from './tabs-routes.ts';

const ORIGIN = 'http://localhost:4180';
const PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' };

let bridge: TabBridge;
beforeEach(() => {
  bridge = new TabBridge({ appOrigins: [ORIGIN, 'https://192.168.1.5:4180'] });
  for (const name of ['a', 'b']) {
    const key = `key.of-the-browser-with-the-name-${name}`;
    const { token } = bridge.pairing;
    const tab = bridge.pairing.admit([BRIDGE_PROTOCOL, key, `token.${token}`])!;
    bridge.pairing.tabs.rename(tab.id, name);
  }
});

const routes = tabsRoutes({
  bridge: () => bridge,
  isCommandLine: (request) => request.headers.get('authorization') === 'Bearer of-the-home',
});

interface Call {
  body?: object;
  headers?: Record<string, string>;
  here?: boolean;
}

async function call(method: string, rest = '', { body, headers = PAGE, here = true }: Call = {}) {
  const path = TABS_PATH + rest;
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await routes(new Request(ORIGIN + path, init), path, here)!;
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}
const names = () => bridge.describe().map(({ name, home }) => (home ? `${name} (home)` : name));

it('lists, renames, chooses the home and revokes', async () => {
  const { answer } = await call('GET', '', { headers: { 'sec-fetch-site': 'same-origin' } });
  expect(answer).toEqual({ tabs: bridge.describe() });
  expect(JSON.stringify(answer)).not.toMatch(/token|digest/i);
  expect((await call('POST', '/a', { body: { name: 'My laptop' } })).status).toBe(200);
  expect((await call('POST', '/b', { body: { home: true } })).status).toBe(200);
  expect(names()).toEqual(['My laptop', 'b (home)']);
  const { id } = bridge.describe()[0]!;
  expect(await call('DELETE', '/My%20laptop')).toEqual({ status: 200, answer: { revoked: id } });
  expect(names()).toEqual(['b (home)']);
});

it('answers with the link, also for other devices', async () => {
  const { answer } = await call('POST', '/link');
  const { token } = bridge.pairing;
  expect(answer).toEqual({
    link: `${ORIGIN}/#/bridge?token=${token}`,
    outside: [`https://192.168.1.5:4180/#/bridge?token=${token}`],
    expires_at: new Date(bridge.pairing.expiry(token)!).toISOString(),
  });
});

it.each([
  ['POST', '/absent', { name: 'x' }, 404],
  ['DELETE', '/absent', undefined, 404],
  ['POST', '/a', { name: 'b' }, 409],
  ['POST', '/a', { name: '' }, 400],
  ['POST', '/a', { home: false }, 400],
  ['POST', '/a', { name: 'x'.repeat(20_000) }, 400],
  ['POST', '/%E0%A4%A', { name: 'x' }, 400],
  ['PUT', '/a', {}, 405],
  ['POST', '', {}, 405],
] as const)('%s %s %j: %i', async (method, rest, body, status) => {
  expect((await call(method, rest, { ...(body && { body }) })).status).toBe(status);
  expect(names()).toEqual(['a (home)', 'b']);
});

describe('is refused to', () => {
  it.each([
    ['a page of another site', true, { ...PAGE, 'sec-fetch-site': 'cross-site' }],
    ['a page of another origin', true, { ...PAGE, origin: 'https://evil.example' }],
    ['a program that says nothing', true, {}],
    ['a wrong token', true, { authorization: 'Bearer guess' }],
    ['another computer with the headers of a browser', false, PAGE],
  ])('%s', async (_who, here, headers) => {
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/link'],
      ['DELETE', '/a'],
    ] as const) {
      const { status, answer } = await call(method, rest, { headers, here });
      expect([status, JSON.stringify(answer)]).toEqual([
        403,
        expect.not.stringContaining(bridge.pairing.token),
      ]);
    }
    expect(names()).toEqual(['a (home)', 'b']);
  });
});

it('is open to the command line, from wherever it comes', async () => {
  const headers = { authorization: 'Bearer of-the-home' };
  expect((await call('GET', '', { headers, here: false })).status).toBe(200);
});

it('leaves other paths alone', () => {
  for (const path of ['/tabd/tabsy', '/tabd/answering']) {
    expect(routes(new Request(ORIGIN + path), path, true)).toBeUndefined();
  }
});
