import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';

let cluster: TestCluster;
let door: RunningDoor;
beforeAll(async () => {
  // Room for one copy of the model, not for two.
  cluster = await startTestCluster({ settings: { TABD_CLUSTER_MODEL_MEMORY: '0.6' } });
  door = await cluster.startDoor();
  await Promise.all([1, 2].map(() => cluster.startWorker('--apis', 'local-models')));
}, 120_000);
afterAll(() => cluster?.close());

const ask = (path: string, init: RequestInit = {}) => fetch(door.ports['local-models'] + path, init);
const post = (path: string, body: object, signal?: AbortSignal) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) });

const loaded = async () =>
  ((await (await ask('/api/ps')).json()) as { models: { name: string }[] }).models.map(({ name }) => name);

test('a model is uploaded and answers through the door, and a client may leave', async () => {
  // 404 comes from the worker that changes models: before it leads, the door answers 503.
  const removing = { method: 'DELETE', body: JSON.stringify({ model: 'none' }) };
  await expect.poll(async () => (await ask('/api/delete', removing)).status, { timeout: 30_000 }).toBe(404);
  const bytes = await readFile(await smollm2());
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  expect((await ask(`/api/blobs/${digest}`, { method: 'POST', body: bytes })).status).toBe(201);
  const created = await post('/api/create', { model: 'tiny', files: { 'a.gguf': digest }, stream: false });
  expect([created.status, await created.json()]).toEqual([200, { status: 'success' }]);
  const names = async () =>
    ((await (await ask('/api/tags')).json()) as { models: { name: string }[] }).models.map(
      ({ name }) => name,
    );
  expect(await names()).toEqual(['tiny:latest']);

  const chat = {
    model: 'tiny',
    messages: [{ role: 'user', content: 'Say hi.' }],
    options: { num_predict: 8 },
  };
  const answer = await post('/api/chat', chat);
  expect(answer.status).toBe(200);
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ done: true });
  expect(lines.length).toBeGreaterThan(2);
  // Later requests go to the worker that has the model.
  await expect.poll(loaded).toEqual(['tiny:latest']);
  for (let n = 0; n < 3; n++) await (await post('/api/chat', chat)).text();
  expect(await loaded()).toEqual(['tiny:latest']);

  const leaving = new AbortController();
  const long = await post(
    '/api/generate',
    { model: 'tiny', prompt: 'Count:', options: { num_predict: -1 } },
    leaving.signal,
  );
  const reader = long.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  leaving.abort();
  expect((await (await post('/api/chat', chat)).text()).trim().split('\n').length).toBeGreaterThan(2);
  const unload = await post('/api/generate', { model: 'tiny', keep_alive: 0 });
  expect(unload.status).toBe(200);
  await unload.text();
  await expect.poll(loaded).toEqual([]);
}, 180_000);

test('a second copy is loaded for many requests, and one is unloaded for the budget of the cluster', async () => {
  const short = { model: 'tiny', prompt: 'Count:', options: { num_predict: 150 } };
  const memory = async () =>
    ((await (await ask('/api/ps')).json()) as { models: { size: number }[] }).models.map(
      (model) => model.size,
    );
  await (await post('/api/generate', { ...short, options: { num_predict: 1 } })).text();
  await expect.poll(memory).toHaveLength(1);
  const [size] = await memory();
  const answers = Promise.all(
    Array.from({ length: 8 }, async () => {
      const answer = await post('/api/generate', short);
      return [answer.status, (await answer.text()).includes('"done":true')];
    }),
  );
  await expect.poll(memory, { timeout: 60_000, interval: 50 }).toEqual([2 * size!]);
  expect(await answers).toEqual(Array(8).fill([200, true]));
  await expect.poll(memory, { timeout: 20_000 }).toEqual([size]);
}, 180_000);
