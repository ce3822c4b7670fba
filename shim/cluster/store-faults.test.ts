/** A cluster whose PostgreSQL or Redis has no space left, or answers slowly. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDoor, startTestCluster, type TestCluster } from '#test/support/servers/cluster.ts';
import { CuttableLink } from '#test/support/servers/cuttable-link.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let cluster: TestCluster;
let door: RunningDoor;
let toPostgres: CuttableLink;
let toRedis: CuttableLink;
const ids: string[] = [];
beforeAll(async () => {
  cluster = await startTestCluster({ postgres: { mayFillDisk: true } });
  toPostgres = await linkTo('TABD_DATABASE_URL');
  toRedis = await linkTo('TABD_REDIS_URL');
  door = await cluster.startDoor();
  await cluster.startWorker('--apis', 'webhooks');
  await cluster.ready(door);
  for (const [path, responseMode] of [
    ['now', 'lastNode'],
    ['later', 'onReceived'],
  ] as const)
    ids.push(await cluster.publish(door, workflow(path, responseMode)));
}, 120_000);
afterAll(async () => {
  await cluster?.close();
  toPostgres?.close();
  toRedis?.close();
});

/** Lets all processes reach a server by a link. */
async function linkTo(setting: string): Promise<CuttableLink> {
  const url = new URL(cluster.env[setting]!);
  const link = await CuttableLink.open(Number(url.port));
  url.port = String(link.port);
  cluster.env[setting] = url.href;
  return link;
}

const PATHS = ['now', 'later'];
const workflow = (path: string, responseMode: string) =>
  sentWorkflow(
    workflowOf(
      {
        Webhook: webhookNode(path, { responseMode }),
        Set: setFields({ size: '={{ $json.body.text.length }}' }),
      },
      ['Webhook -> Set'],
      { name: path },
    ),
  );

/** A call whose record has a size, in bytes, which no compression lowers. */
async function call(path: string, size = 100) {
  const text = randomBytes(size / 2).toString('hex');
  const answer = await fetch(`${door.ports.webhooks}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: answer.status, text: await answer.text() };
}

const statuses = async () => {
  const found = await Promise.all(
    ids.map((id) =>
      cluster.control<{ data: { status: string }[] }>(door, 'GET', `/executions?limit=250&workflowId=${id}`),
    ),
  );
  return found.flatMap(({ data }) => data.map(({ status }) => status));
};

const LARGE = 400_000;
/** The first calls fill the room that the server reserved before. */
const CALLS_THAT_FIT = 4;

test('with a full disk, calls that must be stored first are answered 507, and every record is finished later', async () => {
  for (const path of PATHS)
    await expect.poll(async () => (await call(path)).status, { timeout: 20_000 }).toBe(200);
  const before = (await statuses()).length;
  const during: { path: string; status: number; text: string }[] = [];
  cluster.postgres.fillDisk(true);
  try {
    for (let number = 0; number < 12; number++) {
      const path = PATHS[number % 2]!;
      during.push({ path, ...(await call(path, LARGE)) });
    }
  } finally {
    cluster.postgres.fillDisk(false);
  }
  // The record of a run that answers at its end may wait in memory.
  expect([200, 507]).toEqual(expect.arrayContaining(during.map(({ status }) => status)));
  const stored = during.slice(CALLS_THAT_FIT).filter(({ path }) => path === 'later');
  expect(new Set(stored.map(({ status }) => status))).toEqual(new Set([507]));
  expect(stored.at(-1)!.text).toContain('no space left');
  for (const path of PATHS) expect((await call(path, LARGE)).status).toBe(200);
  const answered = during.filter(({ status }) => status === 200).length + PATHS.length;
  await expect.poll(async () => (await statuses()).includes('running'), { timeout: 30_000 }).toBe(false);
  expect((await statuses()).length - before).toBeGreaterThanOrEqual(answered);
}, 180_000);

test.each([
  ['PostgreSQL', () => toPostgres],
  ['Redis', () => toRedis],
])(
  'with a slow %s, calls take longer, and none is refused or runs twice',
  async (_, linkOf) => {
    const before = (await statuses()).length;
    linkOf().delay = 150;
    const during = await Promise.all(Array.from({ length: 20 }, (_, number) => call(PATHS[number % 2]!)));
    linkOf().delay = 0;
    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([200]));
    await expect.poll(async () => (await statuses()).includes('running'), { timeout: 30_000 }).toBe(false);
    expect((await statuses()).length - before).toBe(20);
  },
  120_000,
);

test('with a full Redis, calls are refused with the cause, and answered once there is room', async () => {
  const before = (await statuses()).length;
  const redis = new Redis(cluster.redis.url);
  try {
    await redis.config('SET', 'maxmemory', '1');
    for (const path of [...PATHS, ...PATHS]) {
      const { status, text } = await call(path);
      expect([status, JSON.parse(text)]).toEqual([
        503,
        { code: 503, message: 'the Redis server of this cluster has no memory left' },
      ]);
    }
    await redis.config('SET', 'maxmemory', '0');
  } finally {
    redis.disconnect();
  }
  for (const path of PATHS) expect((await call(path)).status).toBe(200);
  await expect.poll(async () => (await statuses()).includes('running'), { timeout: 30_000 }).toBe(false);
  expect((await statuses()).length - before).toBe(2);
}, 60_000);
