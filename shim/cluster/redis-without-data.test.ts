/** Redis comes back without its data: what processes knew of one another. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '#test/support/servers/redis.ts';
import { type ClusterConnection, connectCluster } from './cluster-connection.ts';
import { JobQueue } from './job-queue.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
let redis: RedisServer;
let doors: ClusterConnection;
let worker: ClusterConnection;

beforeAll(async () => {
  redis = await startRedis();
  const open = (process: string, role: 'door' | 'worker', leads: { webhooks?: number }) =>
    connectCluster({ TABD_REDIS_URL: redis.url }, log, () => ({
      ...{ process, role, version: '1', apis: ['webhooks' as const], loaded: [], uptime: 0, running: 0 },
      leads,
    }));
  worker = await open('worker', 'worker', { webhooks: 7 });
  doors = await open('door', 'door', {});
}, 30_000);
afterAll(async () => {
  await Promise.all([doors?.close(), worker?.close()]);
  await redis?.close();
});

test('the limit of the cluster holds, no process counts as gone, and terms grow', async () => {
  const queue = new JobQueue(doors);
  await queue.limit(6);
  const session = doors.sockets.connect('worker');
  let ended = '';
  session.addEventListener('close', (event) => {
    ended = (event as CloseEvent).reason;
  });
  let fewest = 1;
  doors.presence.onUpdate(() => {
    fewest = Math.min(fewest, doors.presence.workers('webhooks').length);
  });
  // The door connects again first: the worker is late.
  await redis.process.stop('SIGKILL');
  const late = worker.redis.options.retryStrategy;
  worker.redis.options.retryStrategy = () => 3000;
  await redis.process.start();
  await expect.poll(() => queue.bull.getGlobalConcurrency(), { timeout: 10_000 }).toBe(6);
  expect(await doors.presence.nextTerm()).toBe(8);
  await expect.poll(() => worker.redis.status, { timeout: 10_000 }).toBe('ready');
  worker.redis.options.retryStrategy = late;
  expect([fewest, ended]).toEqual([1, '']);
  await queue.close();
}, 30_000);
