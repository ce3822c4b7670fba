import { mkdtemp, rm } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cleanUp, raw, startPort } from '#test/support/processes/port-testing.ts';
import { type StoredCertificate, storedCertificate } from '../https/stored-certificate.ts';
import type { PortGate } from './port-gate.ts';
import type { TlsOptions } from './port-server.ts';

let home: string;
let certificate: StoredCertificate;
let tls: TlsOptions;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-https-'));
  certificate = await storedCertificate(home, [
    { kind: 'dns', value: 'localhost' },
    { kind: 'ip', value: '127.0.0.1' },
  ]);
  tls = certificate.server;
});
afterAll(() => rm(home, { recursive: true, force: true }));
afterEach(cleanUp);

/** A client that trusts this authority only. */
function secure(port: number, options: RequestOptions = {}, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: 'localhost', port, ca: certificate.authority, agent: false, ...options },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (piece) => (text += piece));
        incoming.on('end', () => resolve(text)).on('error', reject);
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

it('answers https and http on one port', async () => {
  const { port } = await startPort(
    async (request) => new Response(`${request.url} ${await request.text()}`),
    {
      tls,
    },
  );
  expect(await secure(port, { method: 'POST', path: '/a' }, 'x'.repeat(50_000))).toBe(
    `https://localhost:${port}/a ${'x'.repeat(50_000)}`,
  );
  expect((await raw(port, { method: 'POST', path: '/b' }, 'y'))[1]).toBe(`http://127.0.0.1:${port}/b y`);
  await expect(secure(port, { ca: [] })).rejects.toThrow(/self-signed|unable to/);
});

it('carries WebSockets, and closes connections without a first byte', async () => {
  const listener = await startPort(
    () => new Response('?'),
    { tls },
    () => ({
      start: (socket) => socket.send('hello'),
    }),
  );
  const client = new WebSocket(`wss://localhost:${listener.port}/ws`, { ca: certificate.authority });
  const heard = new Promise((resolve) => client.once('message', (data) => resolve(String(data))));
  expect(await heard).toBe('hello');
  const silent = connect(listener.port, '127.0.0.1');
  await new Promise((resolve) => silent.once('connect', resolve));
  silent.on('error', () => {});
  const ended = new Promise((resolve) => silent.once('close', resolve));
  await listener.close(AbortSignal.timeout(500));
  await ended;
});

it('lets gates refuse requests, and reports the status to them', async () => {
  const exchanges: [string, number][] = [];
  const watch: PortGate = (request) => (status) => exchanges.push([new URL(request.url).pathname, status]);
  const refuse: PortGate = (request) =>
    request.url.endsWith('/no') ? new Response('stop', { status: 429 }) : undefined;
  const { port } = await startPort(
    () => new Response('in'),
    { gates: [watch, refuse] },
    () => ({ start: (socket) => socket.close(1000) }),
  );
  expect((await raw(port, { path: '/no' }))[1]).toBe('stop');
  expect((await raw(port, { path: '/yes' }))[1]).toBe('in');
  const client = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await new Promise((resolve) => client.once('close', resolve));
  await expect
    .poll(() => exchanges)
    .toEqual([
      ['/no', 429],
      ['/yes', 200],
      ['/ws', 101],
    ]);
});
