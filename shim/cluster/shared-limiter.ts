import { type KeyLimits, type Limiter, type RateVerdict, RETRY_WHEN_BUSY } from '../access/rate-limiter.ts';
import type { ClusterConnection } from './cluster-connection.ts';

/** Milliseconds after which the count of a key that nobody uses is forgotten. A bucket is full again by then. */
const TTL = 120_000;

/**
 * Enters one request. The bucket fills evenly over the minute, by the clock of Redis. Running requests are counted for each
 * door, and those of a door that is gone do not count.
 * KEYS: the bucket, the running requests. ARGV: requests a minute, requests at once, this door, the prefix of processes,
 * milliseconds that a bucket lives. 0: no limit.
 * Returns the reason of a refusal, and the milliseconds until a token is there.
 */
const ENTER = `
local perMinute, atOnce = tonumber(ARGV[1]), tonumber(ARGV[2])
if atOnce > 0 then
  local running = 0
  local counts = redis.call('HGETALL', KEYS[2])
  for at = 1, #counts, 2 do
    if counts[at] == ARGV[3] or redis.call('EXISTS', ARGV[4] .. counts[at]) == 1 then
      running = running + tonumber(counts[at + 1])
    else
      redis.call('HDEL', KEYS[2], counts[at])
    end
  end
  if running >= atOnce then return { 'concurrency', 0 } end
end
if perMinute > 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
  local tokens = tonumber(bucket[1]) or perMinute
  local passed = math.max(0, now - (tonumber(bucket[2]) or now))
  tokens = math.min(perMinute, tokens + passed / 60000 * perMinute)
  if tokens < 1 then
    redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
    redis.call('PEXPIRE', KEYS[1], ARGV[5])
    return { 'rate', math.ceil((1 - tokens) * 60000 / perMinute) }
  end
  redis.call('HSET', KEYS[1], 'tokens', tostring(tokens - 1), 'at', now)
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
if atOnce > 0 then redis.call('HINCRBY', KEYS[2], ARGV[3], 1) end
return { 'allowed', 0 }
`;

/** The limits of one key over all doors of a cluster. */
export class SharedLimiter implements Limiter {
  readonly #keys: [bucket: string, running: string];

  /**
   * @param prefix the beginning of the keys in Redis
   * @param digest that of the key
   */
  constructor(
    private readonly cluster: Pick<ClusterConnection, 'redis' | 'process'>,
    private readonly prefix: string,
    private readonly limits: KeyLimits,
    digest: string,
  ) {
    this.#keys = [`${prefix}:rate:${digest}`, `${prefix}:parallel:${digest}`];
  }

  async enter(): Promise<RateVerdict> {
    const { perMinute = 0, atOnce = 0 } = this.limits;
    if (perMinute === 0 && atOnce === 0) return 'allowed';
    const { redis, process } = this.cluster;
    const processes = `${this.prefix}:process:`;
    const answer = await redis.eval(ENTER, 2, ...this.#keys, perMinute, atOnce, process, processes, TTL);
    const [reason, milliseconds] = answer as ['allowed' | 'rate' | 'concurrency', number];
    if (reason === 'allowed') return 'allowed';
    if (reason === 'concurrency') return { reason, seconds: RETRY_WHEN_BUSY };
    return { reason, seconds: Math.max(1, Math.ceil(milliseconds / 1000)) };
  }

  leave(): void {
    if (this.limits.atOnce === undefined) return;
    const { redis, process } = this.cluster;
    // A Redis that has lost its data has lost the count too.
    redis
      .hincrby(this.#keys[1], process, -1)
      .then(async (count) => {
        if (count < 0) await redis.hdel(this.#keys[1], process);
      })
      .catch(() => {});
  }
}
