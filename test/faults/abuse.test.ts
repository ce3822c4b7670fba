/** Strangers at the shim's doors: refused or bounded, and whoever is welcome is served meanwhile. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { rawRequest } from '../support/network/raw-http.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, type ShimPorts, startShim } from '../support/processes/shim.ts';

const EVIL = 'evil.example';
const MB = 1024 * 1024;
/** Milliseconds in which whoever is welcome is served, on a machine that is busy with other tests too. */
const BRIEF = 10_000;

let home: string;
let shim: RunningShim;
const sockets: Socket[] = [];

beforeAll(async () => {
  home = await makeHome([]);
  shim = await startShim(home, { args: ['--via-tab'] });
  // Told by the page itself, as its switch does: the models of this computer answer, the bridge stays known.
  await answerBy('node');
});
afterEach(async () => {
  await answerBy('node');
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

const page = () => `http://localhost:${shim.ports.app}`;
const answerBy = (by: string) =>
  fetch(`${page()}/tabd/answering`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', origin: page() },
    body: JSON.stringify({ by }),
  });
const ask = (
  port: keyof ShimPorts,
  path: string,
  headers: [string, string][],
  method = 'GET',
  body?: string,
) => rawRequest(shim.ports[port], { method, path, headers, body, timeout: 10_000 });

/** `open`, or why a WebSocket was not opened. */
const opened = (
  port: number,
  path: string,
  origin: string,
  headers: Record<string, string> = {},
  protocols: string[] = [],
) =>
  new Promise<string>((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { origin, headers });
    socket.once('error', (error) => resolve(error.message));
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
  });

/** Milliseconds until a welcome request is answered. */
async function welcome(): Promise<number> {
  const started = performance.now();
  const response = await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/version`);
  expect(response.status).toBe(200);
  await response.text();
  return performance.now() - started;
}

/** Bytes of memory of the server's process. */
const memory = () =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${shim.process.pid}/status`, 'utf8'))?.[1]);

function open(count: number, port: number, first: string): Promise<Socket[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => {
            if (first) socket.write(first);
            resolve(socket);
          });
          socket.on('error', reject);
          sockets.push(socket);
        }),
    ),
  );
}

describe('DNS rebinding: a name of a site that was made to point here', () => {
  test.each([
    ['app', '/', 403],
    ['app', '/tabd/ports', 403],
    ['app', '/metrics', 403],
    ['local-models', '/api/tags', 403],
    ['local-models', '/v1/models', 403],
    ['image-workflows', '/history', 403],
    ['webhooks', '/api/v1/workflows', 403],
  ] as const)('%s %s', async (port, path, status) => {
    const host: [string, string] = ['Host', `${EVIL}:${shim.ports[port]}`];
    expect((await ask(port, path, [host])).status).toBe(status);
  });

  test('it gets no WebSocket, not even with the token of the bridge, which stays good', async () => {
    const { token } = (await (await answerBy('tab')).json()) as { token: string };
    const protocols = ['tabd.bridge.1', `key.${'k'.repeat(32)}`, `token.${token}`];
    const bridge = (headers: Record<string, string>, origin: string) =>
      opened(shim.ports.app, '/tabd/bridge', origin, headers, protocols);
    const strange = { host: `${EVIL}:${shim.ports.app}` };
    expect(await bridge(strange, `http://${strange.host}`)).toContain('403');
    expect(await bridge(strange, page())).toContain('403');
    expect(await bridge({}, page())).toBe('open');
    await answerBy('node');
    const images = { host: `${EVIL}:${shim.ports['image-workflows']}` };
    expect(await opened(shim.ports['image-workflows'], '/ws', `http://${images.host}`, images)).toContain(
      '403',
    );
  });

  test('webhooks are public by their nature', async () => {
    const answer = await ask('webhooks', '/webhook/none', [['Host', EVIL]]);
    expect([answer.status, answer.body.toString()]).toEqual([404, expect.stringContaining('not registered')]);
  });
});

describe('pages of other sites', () => {
  const origin: [string, string] = ['Origin', `https://${EVIL}`];
  const preflight: [string, string] = ['Access-Control-Request-Method', 'POST'];

  test.each([
    ['local-models', 'POST', '/api/chat'],
    ['local-models', 'DELETE', '/api/delete'],
    ['image-workflows', 'POST', '/prompt'],
    ['webhooks', 'POST', '/api/v1/workflows'],
    ['app', 'POST', '/tabd/answering'],
    ['app', 'POST', '/tabd/webhooks-key'],
  ] as const)('%s: %s %s is refused, and no preflight allows it', async (port, method, path) => {
    const answer = await ask(port, path, [origin, ['Sec-Fetch-Site', 'cross-site']], method, '{}');
    expect(answer.status).toBe(403);
    const asked = await ask(port, path, [origin, preflight], 'OPTIONS');
    expect(asked.headers.filter(([name]) => /^access-control-allow-origin$/i.test(name))).toEqual([]);
  });

  test('nor do programs of other computers, whatever they say of themselves, have a tab of theirs answer', async () => {
    const said: [string, string][] = [
      ['Origin', page()],
      ['Sec-Fetch-Site', 'same-origin'],
      ['X-Forwarded-For', '203.0.113.9'],
    ];
    const answer = await ask('app', '/tabd/answering', said, 'POST', '{"by":"tab"}');
    expect([answer.status, answer.body.toString()]).toEqual([403, expect.not.stringContaining('token=')]);
    expect((await ask('app', '/tabd/webhooks-key', said, 'POST')).status).toBe(404);
  });

  test.each([['/tabd/node/api/tags'], ['/tabd/import']])(
    '%s asks for the token of the home',
    async (path) => {
      expect((await ask('app', path, [], 'POST', '{}')).status).toBe(401);
    },
  );

  test('they get no WebSocket', async () => {
    expect(await opened(shim.ports['image-workflows'], '/ws', `https://${EVIL}`)).toContain('403');
  });
});

test('guessed tokens open nothing, and the right one still does', async () => {
  const told = (await (await answerBy('tab')).json()) as { token: string };
  const tried = async (token: string) => {
    const protocols = ['tabd.bridge.1', `key.${randomBytes(16).toString('hex')}`, `token.${token}`];
    return (await opened(shim.ports.app, '/tabd/bridge', page(), {}, protocols)) === 'open';
  };
  const guesses = Array.from({ length: 200 }, () => randomBytes(24).toString('base64url'));
  const near = [told.token.slice(0, -1), `${told.token}A`, told.token.toLowerCase(), ''];
  const admitted = await Promise.all([...guesses, ...near].map(tried));
  expect(admitted.filter(Boolean)).toEqual([]);
  expect(await tried(told.token)).toBe(true);
  // Good for one connection only.
  expect(await tried(told.token)).toBe(false);
});

test('1,000 idle connections', async () => {
  const before = memory();
  await open(500, shim.ports['local-models'], '');
  await open(500, shim.ports['local-models'], 'POST /api/chat HTTP/1.1\r\nHost: localhost\r\nX-');
  expect(await welcome()).toBeLessThan(BRIEF);
  expect(memory() - before).toBeLessThan(100 * MB);
});

test('bodies that come a byte at a time, and ones that were only announced', async () => {
  const head = `POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${50 * 1024 * MB}\r\n\r\n{`;
  const before = memory();
  const slow = await open(100, shim.ports['local-models'], head);
  const drip = setInterval(() => {
    for (const socket of slow) socket.write(' ');
  }, 20);
  expect(await welcome()).toBeLessThan(BRIEF);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await welcome()).toBeLessThan(BRIEF);
  clearInterval(drip);
  expect(memory() - before).toBeLessThan(50 * MB);
});

test('heads without end', async () => {
  const large: [string, string] = ['X-Large', 'x'.repeat(200_000)];
  for (const port of ['local-models', 'app'] as const) {
    // The connection is closed with the refusal, which may be overtaken by that.
    const outcome = await ask(port, '/', [large]).then(
      ({ status }) => String(status),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/^431$|closed before|ECONNRESET|EPIPE/);
  }
  expect(await welcome()).toBeLessThan(BRIEF);
});
