import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '#test/support/servers/redis.ts';
import { SharedLimiter } from './shared-limiter.ts';

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
}, 60_000);
afterAll(async () => {
  redis?.disconnect();
  await server?.close();
});

const limiter = (process: string, key: string, limits: object) =>
  new SharedLimiter({ redis, process }, 'test', limits, key);
/** A door that has announced itself. */
const announce = (process: string) => redis.set(`test:process:${process}`, '{}', 'PX', 60_000);

it('counts the running requests of all doors, but not those of a door that is gone', async () => {
  await Promise.all([announce('one'), announce('two')]);
  const [first, second] = ['one', 'two'].map((door) => limiter(door, 'a', { atOnce: 3 }));
  expect([await first!.enter(), await second!.enter(), await first!.enter()]).toEqual(
    Array(3).fill('allowed'),
  );
  const busy = { reason: 'concurrency', seconds: 1 };
  expect([await first!.enter(), await second!.enter()]).toEqual([busy, busy]);
  second!.leave();
  expect([await second!.enter(), await second!.enter()]).toEqual(['allowed', busy]);
  // Another key has a count of its own.
  expect(await limiter('one', 'b', { atOnce: 1 }).enter()).toBe('allowed');
  await redis.del('test:process:one');
  expect([await second!.enter(), await second!.enter(), await second!.enter()]).toEqual([
    'allowed',
    'allowed',
    busy,
  ]);
});

it('gives tokens evenly over the minute, to all doors together', async () => {
  const [first, second] = ['one', 'two'].map((door) => limiter(door, 'c', { perMinute: 4 }));
  for (const each of [first!, second!, first!, second!]) expect(await each.enter()).toBe('allowed');
  expect(await first!.enter()).toMatchObject({ reason: 'rate', seconds: 15 });
  expect(await limiter('one', 'c', {}).enter()).toBe('allowed');
});

it('a count that Redis has lost does not become negative', async () => {
  await announce('one');
  const first = limiter('one', 'd', { atOnce: 1 });
  expect(await first.enter()).toBe('allowed');
  await redis.flushall();
  first.leave();
  await expect.poll(() => redis.hlen('test:parallel:d')).toBe(0);
  expect([await first.enter(), await first.enter()]).toMatchObject(['allowed', { reason: 'concurrency' }]);
});
