/** Image prompts over two workers and two doors, over real servers. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';

/** A node that reports progress until its time is over, and shows its process. */
const SLOW_NODE = `export default {
  name: 'Slow', category: 'test', isOutput: true, inputs: { milliseconds: ['INT', {}] }, outputs: [],
  fingerprint: () => undefined,
  async run({ milliseconds }, context) {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      await context.progress(passed, milliseconds);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { ui: { text: [String(process.pid)] } };
  },
};`;

const folder = mkdtempSync(join(tmpdir(), 'tabd-nodes-'));
let cluster: TestCluster;
let doors: RunningDoor[];
let workers: ChildProcess[];
beforeAll(async () => {
  cluster = await startTestCluster();
  const file = join(folder, 'slow.mjs');
  writeFileSync(file, SLOW_NODE);
  Object.assign(cluster.env, { TABD_IMAGE_NODES: file });
  doors = [await cluster.startDoor(), await cluster.startDoor()];
  workers = [await startWorker(), await startWorker()];
}, 120_000);
afterAll(async () => {
  await cluster?.close();
  rmSync(folder, { recursive: true });
});

const startWorker = () => cluster.spawnWorker('--apis', 'image-workflows');

const ask = async (door: number, path: string, body?: object) => {
  const response = await fetch(doors[door]!.ports['image-workflows'] + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
};

const slow = (milliseconds: number) => ({ '1': { class_type: 'Slow', inputs: { milliseconds } } });
const submit = async (door: number, prompt: object, clientId?: string): Promise<string> =>
  (await ask(door, '/prompt', { prompt, ...(clientId && { client_id: clientId }) })).prompt_id;

const idsOf = async (door: number) => {
  const { queue_running, queue_pending } = await ask(door, '/queue');
  const ids = (rows: unknown[][]) => rows.map(([, id]) => id);
  return { running: ids(queue_running), pending: ids(queue_pending) };
};
interface Entry {
  outputs: Record<string, { text?: string[]; images?: { filename: string }[] }>;
  status: { status_str: string; messages: [string, unknown][] };
}
const entryOf = async (door: number, id: string): Promise<Entry | undefined> =>
  (await ask(door, `/history/${id}`))[id];
const isEnded = (id: string, timeout = 30_000) =>
  expect.poll(async () => (await entryOf(0, id))?.status.messages.at(-1)?.[0], { timeout });

function listen(door: number, clientId: string) {
  const address = doors[door]!.ports['image-workflows'].replace('http', 'ws');
  const socket = new WebSocket(`${address}/ws?clientId=${clientId}`);
  socket.binaryType = 'arraybuffer';
  const messages: { type: string; data: { prompt_id?: string; value?: number } }[] = [];
  const images: ArrayBuffer[] = [];
  socket.on('message', (data: ArrayBuffer, isBinary: boolean) => {
    if (isBinary) images.push(data);
    else messages.push(JSON.parse(new TextDecoder().decode(data)));
  });
  return { messages, images, close: () => socket.close() };
}

test('prompts run on both workers at once; a client of another door sees their progress, results and images', async () => {
  await expect
    .poll(() => ask(0, '/queue').catch(() => undefined), { timeout: 60_000 })
    .toEqual({ queue_running: [], queue_pending: [] });
  const client = listen(1, 'me');
  await expect.poll(() => client.messages.length).toBe(1);
  // The process of the queue knows the other one after a second.
  const first = [await submit(0, slow(3000), 'me'), await submit(1, slow(3000), 'me')];
  await expect.poll(async () => (await idsOf(1)).running.length, { timeout: 5000 }).toBe(2);
  expect(await idsOf(0)).toEqual({ running: first, pending: [] });
  for (const id of first) await isEnded(id).toBe('execution_success');
  const pids = await Promise.all(first.map(async (id) => (await entryOf(1, id))!.outputs['1']!.text![0]));
  expect(new Set(pids)).toEqual(new Set(workers.map(({ pid }) => String(pid))));
  for (const id of first) {
    const own = client.messages.filter(({ data }) => data.prompt_id === id);
    expect(own[0]!.type).toBe('execution_start');
    expect(own.at(-1)).toEqual({ type: 'executing', data: { node: null, prompt_id: id } });
    expect(own.filter(({ type }) => type === 'progress').length).toBe(60);
  }

  const image = (color: number) => ({
    '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color } },
    '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'shared' } },
    '3': { class_type: 'SaveImageWebsocket', inputs: { images: ['1', 0] } },
  });
  const saved = await Promise.all([1, 2, 3, 4, 5, 6].map((color) => submit(color % 2, image(color), 'me')));
  for (const id of saved) await isEnded(id).toBe('execution_success');
  const names = await Promise.all(
    saved.map(async (id) => (await entryOf(0, id))!.outputs['2']!.images![0]!.filename),
  );
  expect(new Set(names).size).toBe(6);
  for (const name of names) {
    const view = await fetch(`${doors[1]!.ports['image-workflows']}/view?filename=${name}`);
    expect([view.status, view.headers.get('content-type')]).toEqual([200, 'image/png']);
    await view.arrayBuffer();
  }
  // Number 1 is an image without metadata.
  await expect.poll(() => client.images.length).toBe(6);
  expect(new DataView(client.images[0]!).getUint32(0)).toBe(1);
  client.close();
}, 120_000);

test('the queue goes by priority, and an interrupt reaches the worker that runs the prompt', async () => {
  const running = [await submit(0, slow(60_000)), await submit(1, slow(60_000))];
  await expect.poll(async () => (await idsOf(0)).running.length).toBe(2);
  const later = [await submit(0, slow(100)), await submit(1, slow(100))];
  const front = (await ask(0, '/prompt', { prompt: slow(60_000), front: true })).prompt_id;
  expect((await idsOf(1)).pending).toEqual([front, ...later]);
  await ask(1, '/interrupt', { prompt_id: running[1] });
  await isEnded(running[1]!).toBe('execution_interrupted');
  await expect.poll(async () => (await idsOf(0)).running).toEqual([running[0], front]);
  await ask(0, '/queue', { delete: [later[1]] });
  expect((await idsOf(1)).pending).toEqual([later[0]]);
  await ask(1, '/interrupt', {});
  for (const id of [running[0]!, front]) await isEnded(id).toBe('execution_interrupted');
  await isEnded(later[0]!).toBe('execution_success');
  expect(await entryOf(0, later[1]!)).toBeUndefined();
}, 60_000);

test('the prompt of a killed worker runs on the other one, also when that one has the queue', async () => {
  const running = [await submit(0, slow(8000)), await submit(1, slow(8000))];
  await expect.poll(async () => (await idsOf(0)).running.length).toBe(2);
  // The first worker has led the queue from the beginning.
  workers[1]!.kill('SIGKILL');
  await once(workers[1]!, 'exit');
  for (const id of running) await isEnded(id, 60_000).toBe('execution_success');
  const pids = await Promise.all(running.map(async (id) => (await entryOf(1, id))!.outputs['1']!.text![0]));
  expect(pids).toEqual([String(workers[0]!.pid), String(workers[0]!.pid)]);

  workers[1] = await startWorker();
  const again = [await submit(0, slow(5000)), await submit(1, slow(5000)), await submit(1, slow(100))];
  await expect.poll(async () => (await idsOf(0)).running.length, { timeout: 15_000 }).toBe(2);
  workers[0]!.kill('SIGKILL');
  await once(workers[0]!, 'exit');
  const ended = async () => {
    const entries = await Promise.all(again.map((id) => entryOf(0, id).catch(() => undefined)));
    return entries.map((entry) => entry?.status.status_str);
  };
  await expect.poll(ended, { timeout: 90_000, interval: 500 }).toEqual(again.map(() => 'success'));
}, 240_000);
