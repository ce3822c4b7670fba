import { Readable } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { TABS_PATH, tabsRoutes } from '../../app-server/tabs-routes.ts';
import { BRIDGE_PROTOCOL } from '../../bridge/pairing.ts';
import { TabBridge } from '../../bridge/tab-bridge.ts';
import { parseArguments } from '../arguments.ts';
import { runCommand } from './index.ts';

let bridge: TabBridge;
beforeEach(() => {
  bridge = new TabBridge({ appOrigins: ['http://localhost:4180'] });
});

async function run(...words: string[]): Promise<{ out: string; err: string }> {
  const written = { out: '', err: '' };
  const terminal = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text;
      return true;
    },
  });
  const io = {
    out: terminal('out'),
    err: terminal('err'),
    input: Readable.from([]),
    env: {},
    home: '/nowhere',
  };
  const routes = tabsRoutes({ bridge: () => bridge, isCommandLine: () => true });
  await runCommand('tabs', parseArguments(['tabs', ...words]), {
    io,
    signal: new AbortController().signal,
    connect: async () => ({
      send: (path, init) => routes(new Request(`http://localhost:4180${path}`, init), path, true)!,
      close: async () => {},
    }),
  });
  return written;
}

function pair(agent: string) {
  const key = `key.of-a-browser-${agent}`;
  return bridge.pairing.admit([BRIDGE_PROTOCOL, key, `token.${bridge.pairing.token}`], agent)!;
}

it('shows no browser, then all of them', async () => {
  expect((await run()).out).toBe('No browser is connected. Connect one with: tabd tabs link\n');
  const { id } = pair('Firefox/146.0 (Linux)');
  const { out } = await run('list');
  expect(out).toMatch(/^ID +NAME +STATE +REQUESTS +DEVICE +MEMORY +BATTERY +LOADED\n/);
  expect(out).toMatch(new RegExp(`\n${id} +Firefox on Linux +away, home +0`));
  expect(JSON.parse((await run('--json')).out)).toEqual({ tabs: bridge.describe() });
});

it('prints a link; its code is for addresses that other devices reach', async () => {
  const here = await run('link');
  expect(here.out).toBe(`${bridge.link}\n`);
  expect(here.err).toContain('tabd serve --listen --https');
  bridge = new TabBridge({ appOrigins: ['http://localhost:4180', 'https://192.168.1.5:4180'] });
  const outside = await run('link');
  expect(outside.out).toBe(`${bridge.link}\n${bridge.linksFromOutside[0]}\n`);
  expect(outside.err).toMatch(/[▀▄█]{8}/);
});

it('renames, chooses the home and revokes', async () => {
  const [first, second] = [pair('Firefox/146.0 (Linux)'), pair('Chrome/156.0 (Android)')];
  expect((await run('rename', second.id, 'My phone')).out).toBe(`renamed '${second.id}' to 'My phone'\n`);
  await run('home', 'My phone');
  expect(bridge.pairing.tabs.home?.id).toBe(second.id);
  expect(JSON.parse((await run('revoke', 'My phone', '--json')).out)).toEqual({ revoked: 'My phone' });
  expect(bridge.pairing.tabs.list).toEqual([first]);
});

it.each([
  [['fly'], /cannot 'fly'/],
  [['rename', 'x'], /rename BROWSER NAME/],
  [['revoke'], /revoke BROWSER/],
  [['revoke', 'absent'], /no connected browser is called 'absent'/],
])('refuses %j', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message);
});

it(`uses ${TABS_PATH} of a running server only`, async () => {
  const io = { out: { write: () => true }, err: { write: () => true }, input: Readable.from([]), env: {} };
  const args = parseArguments(['tabs']);
  await expect(
    runCommand('tabs', args, {
      io: { ...io, home: '/nowhere' },
      signal: new AbortController().signal,
    }),
  ).rejects.toThrow('tabd serve --via-tab');
});
