/** Unauthorized clients at the shim's ports: refused or bounded, while authorized requests are answered. */
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
/** The most milliseconds for an authorized request, also on a machine that runs other tests. */
const BRIEF = 10_000;

let home: string;
let shim: RunningShim;
const sockets: Socket[] = [];

beforeAll(async () => {
  home = await makeHome([]);
  shim = await startShim(home, { args: ['--via-tab'] });
  // The page requests this, as its switch does: the models of this computer answer, and the bridge stays registered.
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

/** `open`, or the reason why a WebSocket was refused. */
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

/** Milliseconds until an authorized request is answered. */
async function authorizedRequest(): Promise<number> {
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

describe('DNS rebinding: a foreign name that resolves to this computer', () => {
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

  test('it gets no WebSocket, even with the token of the bridge, which stays valid', async () => {
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

  test('webhooks are public by design', async () => {
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
    const preflightAnswer = await ask(port, path, [origin, preflight], 'OPTIONS');
    expect(preflightAnswer.headers.filter(([name]) => /^access-control-allow-origin$/i.test(name))).toEqual(
      [],
    );
  });

  test('programs of other computers cannot make a tab of theirs answer, whatever their headers say', async () => {
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
    '%s requires the token of the home',
    async (path) => {
      expect((await ask('app', path, [], 'POST', '{}')).status).toBe(401);
    },
  );

  test('they get no WebSocket', async () => {
    expect(await opened(shim.ports['image-workflows'], '/ws', `https://${EVIL}`)).toContain('403');
  });
});

test('guessed tokens are refused, and the right one still works', async () => {
  const bridge = (await (await answerBy('tab')).json()) as { token: string };
  const tried = async (token: string) => {
    const protocols = ['tabd.bridge.1', `key.${randomBytes(16).toString('hex')}`, `token.${token}`];
    return (await opened(shim.ports.app, '/tabd/bridge', page(), {}, protocols)) === 'open';
  };
  const guesses = Array.from({ length: 200 }, () => randomBytes(24).toString('base64url'));
  const near = [bridge.token.slice(0, -1), `${bridge.token}A`, bridge.token.toLowerCase(), ''];
  const admitted = await Promise.all([...guesses, ...near].map(tried));
  expect(admitted.filter(Boolean)).toEqual([]);
  expect(await tried(bridge.token)).toBe(true);
  // The token is valid for a single connection.
  expect(await tried(bridge.token)).toBe(false);
});

test('1,000 idle connections', async () => {
  const before = memory();
  await open(500, shim.ports['local-models'], '');
  await open(500, shim.ports['local-models'], 'POST /api/chat HTTP/1.1\r\nHost: localhost\r\nX-');
  expect(await authorizedRequest()).toBeLessThan(BRIEF);
  expect(memory() - before).toBeLessThan(100 * MB);
});

test('bodies that arrive a byte at a time or not at all', async () => {
  const head = `POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${50 * 1024 * MB}\r\n\r\n{`;
  const before = memory();
  const slow = await open(100, shim.ports['local-models'], head);
  const drip = setInterval(() => {
    for (const socket of slow) socket.write(' ');
  }, 20);
  expect(await authorizedRequest()).toBeLessThan(BRIEF);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await authorizedRequest()).toBeLessThan(BRIEF);
  clearInterval(drip);
  expect(memory() - before).toBeLessThan(50 * MB);
});

test('heads without end', async () => {
  const large: [string, string] = ['X-Large', 'x'.repeat(200_000)];
  for (const port of ['local-models', 'app'] as const) {
    // The connection closes with the refusal, and the close may arrive first.
    const outcome = await ask(port, '/', [large]).then(
      ({ status }) => String(status),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/^431$|closed before|ECONNRESET|EPIPE/);
  }
  expect(await authorizedRequest()).toBeLessThan(BRIEF);
});
