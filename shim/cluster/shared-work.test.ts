/** Cancelling, events and limits over all workers and doors of a cluster. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const KEY = 'a-key-of-sixteen-characters';
let cluster: TestCluster;
let doors: RunningDoor[];
beforeAll(async () => {
  cluster = await startTestCluster();
  Object.assign(cluster.env, {
    N8N_CONCURRENCY_PRODUCTION_LIMIT: '6',
    TABD_ALLOW_PRIVATE_ADDRESSES: 'true',
  });
  const limits = [`--api-key=${KEY}`, '--rate-limit', '6', '--parallel-limit', '2'];
  doors = [await cluster.startDoor(...limits), await cluster.startDoor(...limits)];
  await Promise.all([1, 2].map(() => cluster.startWorker('--concurrency', '5')));
  await cluster.ready(...doors);
}, 120_000);
afterAll(() => cluster?.close());

interface Execution {
  id: string;
  status: string;
}
const executions = async () =>
  (await cluster.control<{ data: Execution[] }>(doors[0]!, 'GET', '/executions?limit=250')).data;
const call = (door: number, path: string) =>
  fetch(`${doors[door]!.ports.webhooks}/webhook/${path}`, { method: 'POST' });

const publish = (path: string, code: string) => {
  const { nodes, connections, settings, name } = workflowOf(
    { Webhook: webhookNode(path, { responseMode: 'onReceived' }), Code: codeNode(code) },
    ['Webhook -> Code'],
    { name: path },
  );
  return cluster.publish(doors[0]!, { name, nodes, connections, settings });
};
/** The events of the control API, read by the second door. */
async function events(): Promise<{ seen: { type: string; data: { executionId?: string } }[]; end(): void }> {
  const end = new AbortController();
  const response = await fetch(`${doors[1]!.ports.webhooks}/api/v1/events`, {
    headers: { 'x-n8n-api-key': cluster.key },
    signal: end.signal,
  });
  expect(response.status).toBe(200);
  const seen: { type: string; data: { executionId?: string } }[] = [];
  void (async () => {
    let text = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      const lines = text.split('\n');
      text = lines.pop()!;
      for (const line of lines) if (line.startsWith('data: ')) seen.push(JSON.parse(line.slice(6)));
    }
  })().catch(() => {});
  await expect.poll(() => seen.length).toBe(1);
  return { seen, end: () => end.abort() };
}

test('executions on both workers are cancelled through any door, also those that still wait', async () => {
  await publish('endless', 'const end = Date.now() + 60000; while (Date.now() < end); return [];');
  for (let n = 0; n < 8; n++) expect((await call(n % 2, 'endless')).status).toBe(200);
  const counts = async () => {
    const found = await executions();
    return [found.filter(({ status }) => status === 'running').length, found.length];
  };
  // Six at once over the cluster: five places of a worker are not enough for that.
  await expect.poll(counts, { timeout: 20_000 }).toEqual([6, 8]);
  const { rows } = await cluster.postgres.query(
    cluster.env.TABD_DATABASE_URL!,
    `SELECT DISTINCT doc->>'process' AS process FROM tabd.executions WHERE doc->>'status' = 'running'`,
  );
  expect(rows).toHaveLength(2);
  const all = (await executions()).sort((a, b) => Number(b.id) - Number(a.id));
  for (const [at, { id }] of all.entries())
    await cluster.control(doors[at % 2]!, 'POST', `/executions/${id}/stop`);
  await expect
    .poll(async () => (await executions()).map(({ status }) => status), { timeout: 20_000 })
    .toEqual(Array(8).fill('canceled'));
  await expect(cluster.control(doors[0]!, 'POST', `/executions/${all[0]!.id}/stop`)).rejects.toThrow('409');
}, 120_000);

test('the events of runs on all workers reach a client of any door', async () => {
  await publish('quick', 'return [{ json: { n: 1 } }];');
  const { seen, end } = await events();
  // Workers learn within a second that somebody listens.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  for (let n = 0; n < 12; n++) expect((await call(n % 2, 'quick')).status).toBe(200);
  const finished = () =>
    seen.filter(({ type }) => type === 'executionFinished').map(({ data }) => data.executionId);
  await expect.poll(() => finished().length, { timeout: 20_000 }).toBe(12);
  expect(new Set(finished()).size).toBe(12);
  const nodes = seen.filter(({ type }) => type === 'nodeExecuteAfter').length;
  expect(nodes).toBe(24);
  end();
}, 60_000);

test('the limit of simultaneous executions holds over both workers', async () => {
  let [running, most] = [0, 0];
  const server = createServer((_request, response) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      response.end('{}');
    }, 500);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { nodes, connections, settings } = workflowOf(
    {
      Webhook: webhookNode('timed', { responseMode: 'onReceived' }),
      Ask: { type: 'httpRequest', typeVersion: 4.2, parameters: { url } },
    },
    ['Webhook -> Ask'],
  );
  await cluster.publish(doors[0]!, { name: 'timed', nodes, connections, settings });
  const before = (await executions()).length;
  await Promise.all(Array.from({ length: 24 }, (_, n) => call(n % 2, 'timed')));
  const done = async () =>
    (await executions()).slice(0, -before).filter(({ status }) => status === 'success').length;
  await expect.poll(done, { timeout: 30_000 }).toBe(24);
  expect(most).toBe(6);
  server.close();
}, 60_000);

test('limits of a key hold over both doors', async () => {
  const ask = (door: number, init: RequestInit = {}) =>
    fetch(`${doors[door]!.ports['local-models']}/api/tags`, {
      headers: { authorization: `Bearer ${KEY}` },
      ...init,
    });
  expect((await ask(0, { headers: {} })).status).toBe(401);
  const statuses = [];
  for (let n = 0; n < 7; n++) statuses.push((await ask(n % 2)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
  const refused = await ask(0);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.text()).toContain('6 requests a minute');
});
