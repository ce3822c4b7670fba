/** Processes, queues, stuck executions, draining and metrics of a cluster. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type RunningDoor,
  type RunningProcess,
  startTestCluster,
  type TestCluster,
} from '#test/support/servers/cluster.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { ClusterReport } from './overview.ts';

let cluster: TestCluster;
let door: RunningDoor;
let worker: RunningProcess;
beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor('--ports', 'app=0,local-models=0,image-workflows=0,webhooks=0');
  worker = await cluster.startWorker('--concurrency', '4', '--metrics', '0');
  await cluster.ready(door);
}, 120_000);
afterAll(() => cluster?.close());

async function ask<T>(path: string, body?: object, key = cluster.key): Promise<{ status: number; body: T }> {
  const response = await fetch(`${door.page}/tabd/cluster${path}`, {
    headers: { 'x-n8n-api-key': key },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
const report = async () => (await ask<ClusterReport>('')).body;
const workerNames = async () =>
  (await report()).processes.filter(({ role }) => role === 'worker').map(({ process }) => process);

const publish = (path: string, code: string) => {
  const { nodes, connections, settings, name } = workflowOf(
    { Webhook: webhookNode(path, { responseMode: 'onReceived' }), Code: codeNode(code) },
    ['Webhook -> Code'],
    { name: path },
  );
  return cluster.publish(door, { name, nodes, connections, settings });
};
const call = (path: string) => fetch(`${door.ports.webhooks}/webhook/${path}`, { method: 'POST' });
const executions = async () =>
  (await cluster.control<{ data: { id: string; status: string }[] }>(door, 'GET', '/executions?limit=250'))
    .data;

test('the report has processes and queues, for those who have a key', async () => {
  expect((await ask('', undefined, 'wrong')).status).toBe(401);
  expect((await ask('/processes/x', { drain: true }, 'wrong')).status).toBe(401);
  // The page of another site has neither a key nor this origin.
  const foreign = await fetch(`${door.page}/tabd/cluster`, { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(foreign.status).toBe(403);
  // The first question about images loads their code, which may take longer than a report waits.
  await expect.poll(async () => (await report()).queues.length, { timeout: 40_000 }).toBe(2);
  const { processes, queues, stuck } = await report();
  expect(processes.map(({ role, apis, leads }) => [role, apis.length, Object.keys(leads).length])).toEqual([
    ['door', 0, 0],
    ['worker', 3, 3],
  ]);
  expect(queues).toEqual([
    { name: 'webhooks', waiting: 0, running: 0 },
    { name: 'image-workflows', waiting: 0, running: 0 },
  ]);
  expect(stuck).toEqual([]);
}, 120_000);

test('a drained worker takes no new work until it is released', async () => {
  const [name] = await workerNames();
  expect((await ask('/processes/nobody', { drain: true })).status).toBe(404);
  expect((await ask(`/processes/${name}`, { drain: 'yes' })).status).toBe(400);
  await publish('quick', 'return [];');
  expect((await call('quick')).status).toBe(200);
  const successes = async () => (await executions()).filter(({ status }) => status === 'success').length;
  await expect.poll(successes, { timeout: 30_000 }).toBe(1);
  const draining = async () => (await report()).processes.map((each) => each.draining === true);
  expect((await ask(`/processes/${name}`, { drain: true })).status).toBe(200);
  await expect.poll(draining, { timeout: 20_000 }).toEqual([false, true]);
  await expect
    .poll(async () => (await fetch(`${door.ports['local-models']}/api/tags`)).status, { timeout: 20_000 })
    .toBe(503);
  await ask(`/processes/${name}`, { drain: false });
  await expect.poll(draining, { timeout: 20_000 }).toEqual([false, false]);
  expect((await call('quick')).status).toBe(200);
  await expect.poll(successes, { timeout: 30_000 }).toBe(2);
}, 120_000);

test('an execution whose worker died is stuck, and runs again from the page', async () => {
  const victim = await cluster.spawnWorker('--apis', 'webhooks', '--concurrency', '1');
  await expect.poll(async () => (await workerNames()).length, { timeout: 20_000 }).toBe(2);
  const [own] = (await report()).processes.filter(({ leads }) => Object.keys(leads).length > 0);
  // Only the other worker takes the run.
  await ask(`/processes/${own!.process}`, { drain: true });
  await expect
    .poll(async () => (await report()).processes.some(({ draining }) => draining), { timeout: 20_000 })
    .toBe(true);
  await publish('slow', 'const end = Date.now() + 3000; while (Date.now() < end); return [];');
  expect((await call('slow')).status).toBe(200);
  await expect
    .poll(async () => (await executions()).filter(({ status }) => status === 'running').length, {
      timeout: 20_000,
    })
    .toBe(1);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  await ask(`/processes/${own!.process}`, { drain: false });
  await expect.poll(async () => (await report()).stuck.length, { timeout: 30_000 }).toBe(1);
  const [stuck] = (await report()).stuck;
  expect(stuck).toMatchObject({ workflowName: 'slow', state: 'crashed' });
  const { status, body } = await ask<{ id: string }>(`/executions/${stuck!.id}/retry`, {});
  expect(status).toBe(200);
  expect(body.id).not.toBe(stuck!.id);
  await expect.poll(async () => (await report()).stuck, { timeout: 30_000 }).toEqual([]);
  expect((await ask(`/executions/${body.id}/retry`, {})).status).toBe(409);
  expect((await ask('/executions/9999/retry', {})).status).toBe(404);
}, 120_000);

test('doors and workers print metrics', async () => {
  const ofDoor = await (await fetch(`${door.page}/metrics`)).text();
  for (const queue of ['webhooks', 'image-workflows'])
    expect(ofDoor).toContain(`tabd_queue_length{queue="${queue}"} 0`);
  expect(ofDoor).toContain('tabd_workers{api="image-workflows"} 1');
  expect(ofDoor).toMatch(/tabd_requests_total\{api="webhooks",route="[^"]+",method="POST",status="200"\} \d/);
  const [, port] = /metrics at port (\d+)/.exec(worker.text())!;
  const address = `http://127.0.0.1:${port}`;
  expect(await (await fetch(`${address}/healthz`)).json()).toEqual({ status: 'ok' });
  const ofWorker = await (await fetch(`${address}/metrics`)).text();
  expect(ofWorker).toMatch(/tabd_run_seconds_count\{api="webhooks",outcome="success"\} [3-9]/);
  expect(ofWorker).toMatch(/tabd_wait_seconds_count\{api="webhooks"\} [2-9]/);
  expect(ofWorker).toContain('tabd_workflows_running 0');
  expect((await fetch(`${address}/other`)).status).toBe(404);
});
