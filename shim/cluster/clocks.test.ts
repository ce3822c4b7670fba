/** Workers whose clocks are twenty minutes apart, as on computers with a wrong time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, sentWorkflow, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const MINUTES = 60_000;
const preload = fileURLToPath(new URL('../../test/support/processes/shift-clock.mjs', import.meta.url));

let cluster: TestCluster;
let door: RunningDoor;
beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor();
  for (const shift of [10 * MINUTES, -10 * MINUTES]) {
    Object.assign(cluster.env, { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT: String(shift) });
    await cluster.spawnWorker('--apis', 'webhooks', '--concurrency', '2');
  }
  await cluster.ready(door);
}, 120_000);
afterAll(() => cluster?.close());

const code = codeNode('return $input.all();');
const answering = (path: string, responseMode: string) =>
  sentWorkflow(
    workflowOf({ Webhook: webhookNode(path, { responseMode }), Code: code }, ['Webhook -> Code'], {
      name: path,
    }),
  );
const everySecond = sentWorkflow(
  workflowOf(
    {
      Schedule: {
        type: 'scheduleTrigger',
        typeVersion: 1.2,
        parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
      },
      Code: code,
    },
    ['Schedule -> Code'],
    { name: 'every second' },
  ),
);

const call = (path: string) => fetch(`${door.ports.webhooks}/webhook/${path}`, { method: 'POST' });

interface Execution {
  id: string;
  status: string;
  startedAt: string;
  workflowId: string;
}
const executionsOf = async (workflow: string) => {
  const path = `/executions?limit=250&workflowId=${workflow}`;
  return (await cluster.control<{ data: Execution[] }>(door, 'GET', path)).data;
};

test('calls, queued runs and schedules happen once each', async () => {
  const [now, later] = [
    await cluster.publish(door, answering('now', 'lastNode')),
    await cluster.publish(door, answering('later', 'onReceived')),
  ];
  await expect.poll(async () => (await call('now')).status, { timeout: 20_000 }).toBe(200);
  await expect.poll(async () => (await call('later')).status, { timeout: 20_000 }).toBe(200);
  const before = [(await executionsOf(now)).length, (await executionsOf(later)).length];
  for (let n = 0; n < 20; n++) {
    const answers = await Promise.all([call('now'), call('later')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
  let calls = 20;
  // Both workers answer, each with its own time.
  const clocks = async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => call('now')));
    calls += answers.length;
    const times = (await executionsOf(now)).map(({ startedAt }) => Date.parse(startedAt) - Date.now());
    return [Math.min(...times) < -9 * MINUTES, Math.max(...times) > 9 * MINUTES];
  };
  await expect.poll(clocks, { timeout: 20_000 }).toEqual([true, true]);

  const ticks = await cluster.publish(door, everySecond);
  const start = performance.now();
  // Longer than a process may be away (TABD_TAKEOVER_AFTER): nothing may be taken over.
  await sleep(6000);
  await cluster.control(door, 'POST', `/workflows/${ticks}/deactivate`);
  const seconds = (performance.now() - start) / 1000;
  const counts = async () => {
    const lists = await Promise.all([now, later].map(executionsOf));
    return lists.map((list) => list.filter(({ status }) => status === 'success').length);
  };
  await expect.poll(counts, { timeout: 20_000 }).toEqual([before[0]! + calls, before[1]! + 20]);
  const runs = await executionsOf(ticks);
  expect(runs.length).toBeGreaterThanOrEqual(2);
  expect(runs.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  const statuses = (await Promise.all([now, later].map(executionsOf))).flat().map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['success']));
}, 120_000);
