import { Redis } from 'ioredis';
import type { Log } from '#core/host';
import { certificateRefusal } from '../base/certificate-error.ts';
import { UsageError } from '../base/usage-error.ts';
import { requiredSetting } from '../storage/shared/open-shared-stores.ts';
import { PRESENCE_INTERVAL, Presence, type ProcessInfo } from './presence.ts';
import { RedisSockets } from './redis-sockets.ts';

/** The beginning of all keys in Redis, without that of the queue. */
export const REDIS_PREFIX = 'tabd';

/** Milliseconds in which all processes announce themselves to a Redis that is back, perhaps without its data. */
const RETURN_TIME = 5000;

/** A process's connections to Redis, and what it knows of the other processes. */
export interface ClusterConnection {
  process: string;
  redis: Redis;
  sockets: RedisSockets;
  presence: Presence;
  /** A further connection with the same address. */
  duplicate(): Redis;
  close(): Promise<void>;
}

/**
 * Connects to Redis and announces this process every second.
 * @throws UsageError when TABD_REDIS_URL is missing, or the server does not answer or refuses
 */
export async function connectCluster(
  env: NodeJS.ProcessEnv,
  log: Log,
  ownInfo: () => ProcessInfo,
): Promise<ClusterConnection> {
  const url = requiredSetting(env, 'TABD_REDIS_URL');
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    throw new UsageError('TABD_REDIS_URL must look like redis://:password@host:6379/0');
  const connections: Redis[] = [];
  let isConnected = false;
  const connect = () => {
    const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null, enableReadyCheck: true });
    let lastCause = '';
    redis.on('error', (error) => {
      // The first connection reports its own failure.
      if (isConnected && String(error) !== lastCause)
        log.warn('the connection to Redis is lost', { error: String(error) });
      lastCause = String(error);
    });
    redis.on('ready', () => {
      lastCause = '';
    });
    connections.push(redis);
    return redis;
  };
  const [redis, reader] = [connect(), connect()];
  await Promise.all([firstConnection(redis, url), firstConnection(reader, url)]);
  isConnected = true;
  const { process: name } = ownInfo();
  const sockets = new RedisSockets(redis, reader, REDIS_PREFIX, name, log);
  const presence = new Presence(redis, REDIS_PREFIX, ownInfo);
  await sockets.open();
  await presence.update();
  let isUpdating = false;
  let readyAt = Number.NEGATIVE_INFINITY;
  const announce = async () => {
    // While Redis is away, one update waits for it.
    if (isUpdating) return;
    isUpdating = true;
    try {
      await sockets.keepAlive();
      const isComplete = performance.now() - readyAt > RETURN_TIME;
      await presence.update({ keepsUnknown: !isComplete });
      const names = new Set(presence.processes.map(({ process }) => process));
      if (isComplete) sockets.endSessions((peer) => !names.has(peer));
    } catch (error) {
      log.warn('this process could not be announced', { error: String(error) });
    } finally {
      isUpdating = false;
    }
  };
  const timer = setInterval(announce, PRESENCE_INTERVAL);
  // Redis may come back without its data. Until it knows this process, nobody reaches it.
  redis.on('ready', () => {
    readyAt = performance.now();
    void announce();
  });
  return {
    process: name,
    redis,
    sockets,
    presence,
    duplicate: connect,
    async close() {
      clearInterval(timer);
      if (redis.status === 'ready') {
        await sockets.close();
        await presence.withdraw().catch(() => {});
      }
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Later, connections are made again for as long as it takes. At the start, a wrong address is an error. */
async function firstConnection(redis: Redis, url: string): Promise<void> {
  // A failed connection rejects without its cause, which comes before as an event.
  let cause: Error | undefined;
  const notice = (error: Error) => {
    cause ??= error;
  };
  redis.on('error', notice);
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    redis.disconnect();
    const { host } = new URL(url);
    const reason = refusalOf(cause ?? (error as Error));
    throw new UsageError(`the Redis server ${host} of TABD_REDIS_URL cannot be used: ${reason}`);
  } finally {
    redis.off('error', notice);
  }
}

function refusalOf(error: Error): string {
  const { message } = error;
  if (/NOAUTH|WRONGPASS/.test(message)) return 'it refused the password';
  const refusal = certificateRefusal(error, 'NODE_EXTRA_CA_CERTS');
  if (refusal !== undefined) return refusal;
  if (/Connection is closed|ECONNRESET|EPIPE/.test(message))
    return 'it closed the connection: a server with TLS needs rediss:// instead of redis://';
  return `it does not answer (${message})`;
}
