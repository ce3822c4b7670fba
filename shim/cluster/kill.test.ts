/** Workers and servers that end in the middle of work. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let cluster: TestCluster;
let door: RunningDoor;
beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor();
}, 120_000);
afterAll(() => cluster?.close());

const call = (path: string) =>
  fetch(`${door.ports.webhooks}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(100_000),
  });

function slow(path: string, milliseconds: number, responseMode: string): object {
  const code = `const end = Date.now() + ${milliseconds}; while (Date.now() < end); return $input.all();`;
  const { nodes, connections, settings, name } = workflowOf(
    { Webhook: webhookNode(path, { responseMode }), Code: codeNode(code) },
    ['Webhook -> Code'],
    { name: path },
  );
  return { name, nodes, connections, settings };
}

interface Execution {
  id: string;
  status: string;
}
const executions = async () =>
  (await cluster.control<{ data: Execution[] }>(door, 'GET', '/executions?limit=250')).data;
const isOpen = ({ status }: Execution) => status === 'new' || status === 'running';

test('a killed worker: runs that had not begun run elsewhere, begun ones end as crashed, callers get 503', async () => {
  const victim = await cluster.spawnWorker('--concurrency', '1');
  await expect
    .poll(async () => (await fetch(`${door.ports.webhooks}/healthz`)).status, { timeout: 30_000 })
    .toBe(200);
  await cluster.publish(door, slow('later', 300, 'onReceived'));
  await cluster.publish(door, slow('now', 60_000, 'lastNode'));
  const waiting = call('now');
  await expect.poll(async () => (await executions()).length, { timeout: 30_000 }).toBe(1);
  // The only place is taken. Answered when the run is stored, all the same.
  for (let n = 0; n < 6; n++) expect((await call('later')).status).toBe(200);
  expect((await executions()).map(({ status }) => status).sort()).toEqual([
    ...Array<string>(6).fill('new'),
    'running',
  ]);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  const refusal = await waiting;
  expect(refusal.status).toBe(503);
  // A busy machine may notice the silence before the end.
  expect(await refusal.text()).toMatch(/gone|no answer/);

  await cluster.startWorker();
  await expect
    .poll(async () => (await executions().catch(() => [{ id: '', status: 'new' }])).filter(isOpen), {
      timeout: 60_000,
      interval: 500,
    })
    .toEqual([]);
  const ended = await executions();
  const count = (status: string) => ended.filter((execution) => execution.status === status).length;
  // The one whose caller waited.
  expect([count('crashed'), count('success')]).toEqual([1, 6]);
}, 180_000);

test('after a restart of Redis without its data, and of PostgreSQL, calls are answered again', async () => {
  await cluster.publish(door, slow('again', 1, 'lastNode'));
  const isAnswered = () =>
    expect.poll(async () => (await call('again')).status, { timeout: 60_000, interval: 500 });
  await isAnswered().toBe(200);
  await cluster.redis.process.stop('SIGKILL');
  await cluster.redis.process.start();
  await isAnswered().toBe(200);
  await cluster.postgres.process.stop('SIGQUIT');
  await cluster.postgres.start();
  await isAnswered().toBe(200);
}, 180_000);
