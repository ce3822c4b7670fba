import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { JOB_QUEUE, QUEUE_PREFIX } from './job-queue.ts';
import type { ProcessInfo } from './presence.ts';

let cluster: TestCluster;
let door: RunningDoor;
beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor();
  await cluster.startWorker('--apis', 'webhooks', '--concurrency', '1');
  await cluster.ready(door);
}, 120_000);
afterAll(() => cluster?.close());

const workflow = workflowOf(
  { Webhook: webhookNode('small', { responseMode: 'lastNode' }), Set: setFields({ a: 1 }) },
  ['Webhook -> Set'],
  { name: 'small' },
);

test('a call whose client has left does not keep the place of another one', async () => {
  await cluster.publish(door, sentWorkflow(workflow));
  const call = () => fetch(`${door.ports.webhooks}/webhook/small`, { method: 'POST' });
  await expect.poll(async () => (await call()).status, { timeout: 20_000 }).toBe(200);
  const redis = new Redis(cluster.redis.url, { maxRetriesPerRequest: null });
  const queue = new Queue(JOB_QUEUE, { connection: redis as never, prefix: QUEUE_PREFIX });
  try {
    // A client that leaves at the moment when a worker takes its call: the job stays, and the door forgets the ticket.
    for (let n = 0; n < 3; n++) await queue.add('call', { door: await doorProcess(redis) });
    const signal = AbortSignal.timeout(5000);
    const answer = await fetch(`${door.ports.webhooks}/webhook/small`, { method: 'POST', signal });
    expect(answer.status).toBe(200);
  } finally {
    await queue.close();
    redis.disconnect();
  }
}, 60_000);

async function doorProcess(redis: Redis): Promise<string> {
  const names = await redis.keys(`${QUEUE_PREFIX}:process:*`);
  const processes = (await redis.mget(names)).map((text) => JSON.parse(text!) as ProcessInfo);
  return processes.find(({ role }) => role === 'door')!.process;
}
