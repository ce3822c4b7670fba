/** A worker that cannot reach Redis for a while, and so neither the doors. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { CuttableLink } from '#test/support/servers/cuttable-link.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let cluster: TestCluster;
let door: RunningDoor;
let link: CuttableLink;
beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor();
  const url = new URL(cluster.redis.url);
  link = await CuttableLink.open(Number(url.port));
  url.port = String(link.port);
  const direct = cluster.env.TABD_REDIS_URL;
  cluster.env.TABD_REDIS_URL = url.href;
  await cluster.spawnWorker('--apis', 'webhooks', '--concurrency', '2');
  cluster.env.TABD_REDIS_URL = direct;
  await cluster.spawnWorker('--apis', 'webhooks', '--concurrency', '2');
  await cluster.ready(door);
}, 120_000);
afterAll(async () => {
  link?.close();
  await cluster?.close();
});

const workflow = (path: string, responseMode: string) =>
  sentWorkflow(
    workflowOf(
      {
        Webhook: webhookNode(path, { responseMode }),
        Set: setFields({ number: '={{ $json.body.number }}' }),
      },
      ['Webhook -> Set'],
      { name: path },
    ),
  );

/** The status, which is 0 when no answer comes within 40 seconds. */
async function call(path: string, number: number): Promise<number> {
  const answer = await fetch(`${door.ports.webhooks}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number }),
    signal: AbortSignal.timeout(40_000),
  }).catch(() => undefined);
  await answer?.text().catch(() => {});
  return answer?.status ?? 0;
}

interface Execution {
  status: string;
  data?: { resultData: { runData: Record<string, { data: { main: { json: { number?: string } }[][] } }[]> } };
}

test('calls are answered or refused, and none runs twice; afterwards the worker takes part again', async () => {
  const ids = [
    await cluster.publish(door, workflow('now', 'lastNode')),
    await cluster.publish(door, workflow('later', 'onReceived')),
  ];
  for (const path of ['now', 'later']) await expect.poll(() => call(path, -1), { timeout: 20_000 }).toBe(200);
  link.cut();
  const calls: Promise<number>[] = [];
  for (let number = 0; number < 20; number++) {
    calls.push(call(number % 2 === 0 ? 'now' : 'later', number));
    await sleep(400);
  }
  const during = await Promise.all(calls);
  link.mend();
  for (const status of during) expect([200, 503]).toContain(status);
  expect(during.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
  for (const path of ['now', 'later']) await expect.poll(() => call(path, -1), { timeout: 30_000 }).toBe(200);

  const numbers = async () => {
    const found: number[] = [];
    for (const id of ids) {
      const path = `/executions?limit=250&includeData=true&workflowId=${id}`;
      const { data } = await cluster.control<{ data: Execution[] }>(door, 'GET', path);
      if (data.some(({ status }) => status === 'new' || status === 'running')) return undefined;
      for (const { data: run } of data)
        found.push(Number(run?.resultData.runData.Set?.[0]?.data.main[0]?.[0]?.json.number));
    }
    return found.filter((number) => number >= 0).sort((a, b) => a - b);
  };
  await expect.poll(numbers, { timeout: 60_000, interval: 500 }).toBeDefined();
  const ran = (await numbers())!;
  expect(new Set(ran).size).toBe(ran.length);
  const answered = during.flatMap((status, number) => (status === 200 ? [number] : []));
  expect(ran).toEqual(expect.arrayContaining(answered));
}, 180_000);
