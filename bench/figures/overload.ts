/**
 * Small requests while an API is flooded with its most expensive ones, the memory that slow readers cost, and many idle
 * WebSockets. `OVERLOAD_SECONDS` is the time of each flood, `OVERLOAD_SOCKETS` the number of sockets.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { type RunningShim, type ShimPorts, startShim } from '#test/support/processes/shim.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { workflowControl } from '#test/support/webhooks/workflow-control.ts';
import type { Figure } from '../figure.ts';

const SECONDS = Number(process.env.OVERLOAD_SECONDS ?? 10);
const SOCKETS = Number(process.env.OVERLOAD_SOCKETS ?? 10_000);
const CALLERS = 16;
const SLOW_READERS = 20;
const MIB = 1024 * 1024;

interface Flood {
  api: keyof ShimPorts;
  what: string;
  path: string;
  body: string;
  small: string;
}

const rows = '{"role":"user","content":"a few words"},'.repeat(15_000);
const graph = (seed: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 1024, height: 1024, batch_size: 1, color: seed } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'flood' } },
});
const FLOODS: Flood[] = [
  {
    api: 'local-models',
    what: 'chats of 600 kB',
    path: '/api/chat',
    body: `{"model":"absent","messages":[${rows}{"role":"user","content":"end"}]}`,
    small: '/api/version',
  },
  {
    api: 'image-workflows',
    what: 'prompts of large images',
    path: '/prompt',
    body: JSON.stringify({ prompt: graph(1) }),
    small: '/queue',
  },
  {
    api: 'webhooks',
    what: 'calls that compute for 200 ms',
    path: '/webhook/flood',
    body: '{}',
    small: '/healthz',
  },
];

export default async function* overload(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const code = 'const end = Date.now() + 200; while (Date.now() < end); return { json: { ok: true } }';
    const { nodes, connections } = workflowOf(
      { Webhook: webhookNode('flood', { responseMode: 'lastNode' }), Code: codeNode(code) },
      ['Webhook -> Code'],
    );
    const { publish } = await workflowControl(home);
    await publish({ name: 'Flood', nodes, connections, settings: {} });
    for (const flood of FLOODS) {
      const { p99, statuses } = await underFlood(shim.ports, flood);
      console.error(`${flood.what}: ${JSON.stringify(statuses)}`);
      yield { name: `overload: ms of a small request (p99), ${flood.what}`, value: p99, aim: '<= 250' };
      yield { name: `overload: answers of 500, ${flood.what}`, value: statuses[500] ?? 0, aim: '<= 0' };
    }
    yield {
      name: 'overload: MiB for 20 slow readers of 64 MiB',
      value: await slowReaders(shim),
      aim: '<= 200',
    };
    yield* idleSockets(shim);
  } finally {
    await shim.stop();
    await removeHome(home);
  }
}

async function underFlood(ports: ShimPorts, { api, path, body, small }: Flood) {
  const statuses: Record<number, number> = {};
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const status = await send({ port: ports[api], path, body });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  const waits: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end; ) {
    const started = performance.now();
    await send({ port: ports[api], path: small, agent });
    waits.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  isOver = true;
  await send({ port: ports['image-workflows'], path: '/queue', body: '{"clear":true}' });
  await Promise.all(callers);
  agent.destroy();
  waits.sort((a, b) => a - b);
  return { p99: waits[Math.floor(waits.length * 0.99)]!, statuses };
}

/** MiB that readers cost who request a large file, and read nothing. */
async function slowReaders(shim: RunningShim): Promise<number> {
  const port = shim.ports['image-workflows'];
  const content = Buffer.alloc(64 * MIB, 'x').toString();
  await send({ port, path: '/userdata/large.txt', body: content });
  const before = memory(shim);
  const sockets: Socket[] = [];
  for (let reader = 0; reader < SLOW_READERS; reader++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).pause();
    socket.write(`GET /userdata/large.txt HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    sockets.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const cost = memory(shim) - before;
  for (const socket of sockets) socket.destroy();
  return cost;
}

async function* idleSockets(shim: RunningShim): AsyncIterable<Figure> {
  const port = shim.ports['image-workflows'];
  const before = memory(shim);
  const sockets: Socket[] = [];
  const head = [
    'GET /ws HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ].join('\r\n');
  let opened = 0;
  for (let at = 0; at < SOCKETS; at += 200) {
    const batch = Array.from({ length: Math.min(200, SOCKETS - at) }, () => {
      return new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`));
        socket.once('data', (data) => {
          if (data.toString().startsWith('HTTP/1.1 101')) opened++;
          resolve();
        });
        socket.on('error', () => resolve());
        sockets.push(socket);
      });
    });
    await Promise.all(batch);
  }
  const started = performance.now();
  await send({ port, path: '/queue' });
  yield { name: 'overload: open idle WebSockets', value: opened, aim: `>= ${SOCKETS}` };
  yield {
    name: 'overload: ms of a small request next to them',
    value: performance.now() - started,
    aim: '<= 250',
  };
  yield { name: 'overload: KiB for each of them', value: ((memory(shim) - before) * 1024) / SOCKETS };
  for (const socket of sockets) socket.destroy();
}

/** MiB of the server's process. */
const memory = (shim: RunningShim): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${shim.process.pid}/status`, 'utf8'))?.[1]) / 1024;

/** The status of a request; 0 for a broken connection. Its answer is read. */
function send({ port, path, body, agent }: { port: number; path: string; body?: string; agent?: Agent }) {
  return new Promise<number>((resolve) => {
    const headers = {
      'content-type': 'application/json',
      ...(body && { 'content-length': Buffer.byteLength(body) }),
    };
    const options = {
      port,
      path,
      host: '127.0.0.1',
      method: body === undefined ? 'GET' : 'POST',
      headers,
      agent,
    };
    const sent = request(options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body);
  });
}
