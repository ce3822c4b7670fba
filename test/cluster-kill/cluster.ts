/** A cluster of real processes on this computer: the built `tabd`, PostgreSQL and Redis. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ApiName } from '#core/http';
import { freePorts } from '../support/processes/shim.ts';
import { askControl } from '../support/servers/ask-control.ts';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.ts';
import { type RedisServer, startRedis } from '../support/servers/redis.ts';
import { Member } from './member.ts';

const built = fileURLToPath(new URL('../../node-shim/dist', import.meta.url));
/** The order of the ports of a door. */
const API_ORDER: ApiName[] = ['local-models', 'image-workflows', 'webhooks'];
/** Paths that are answered with 200 when a worker of the API runs. */
const READY_PATHS: Record<ApiName, string> = {
  'local-models': '/api/tags',
  'image-workflows': '/queue',
  webhooks: '/healthz',
};
/** Milliseconds until a started cluster must answer. */
const START_TIMEOUT = 90_000;

export interface ClusterSize {
  doors: number;
  workers: number;
  /** Calls at once of each worker. */
  concurrency: number;
  takeover: string;
  /** The API whose work the workers do. Default: webhooks. */
  api?: ApiName;
  /** Settings of all processes. */
  settings?: NodeJS.ProcessEnv;
}

export interface KillCluster {
  doors: Member[];
  workers: Member[];
  /** The ports of the doors for the API. */
  ports: number[];
  postgres: PostgresServer;
  redis: RedisServer;
  databaseUrl: string;
  control<T>(method: string, path: string, body?: object): Promise<T>;
  /** Resolves when all doors answer. */
  ready(): Promise<void>;
  /** @returns the names of processes that did not end when asked */
  close(): Promise<string[]>;
}

/** @param logs the folder for what the processes print */
export async function startKillCluster(size: ClusterSize, logs: string): Promise<KillCluster> {
  if (!existsSync(join(built, 'cli.js'))) throw new Error('the shim is not built: run `npm run build` first');
  mkdirSync(logs, { recursive: true });
  // Restarted processes are the same program, also when the shim is built again meanwhile.
  const program = join(logs, 'program', 'cli.js');
  cpSync(built, join(logs, 'program'), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'tabd-cluster-kill-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const databaseUrl = await postgres.newDatabase();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TABD_DATABASE_URL: databaseUrl,
    TABD_REDIS_URL: redis.url,
    TABD_FILES_URL: pathToFileURL(join(folder, 'shared')).href,
    N8N_ENCRYPTION_KEY: 'a secret of the cluster',
    TABD_TAKEOVER: size.takeover,
    TABD_TAKEOVER_AFTER: '3',
    TABD_ALLOW_PRIVATE_ADDRESSES: 'true',
    EXECUTIONS_DATA_PRUNE: 'false',
    ...size.settings,
  };
  const key = execFileSync(process.execPath, [program, 'key', 'create', 'test', '--cluster'], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  const home = join(folder, 'home');
  const member = (name: string, args: string[]) =>
    new Member({ name, program, args: [...args, '--home', home], env, log: join(logs, `${name}.log`) });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
  const ports = await freePorts(3 * size.doors);
  const doors = numbers(size.doors).map((n) => {
    const [models, images, webhooks] = ports.slice(3 * (n - 1));
    const list = `app=off,local-models=${models},image-workflows=${images},webhooks=${webhooks}`;
    return member(`door-${n}`, ['serve', '--cluster', '--ports', list]);
  });
  const { api = 'webhooks' } = size;
  const work = ['work', '--apis', api, '--concurrency', String(size.concurrency)];
  const workers = numbers(size.workers).map((n) => member(`worker-${n}`, work));
  const portsOf = (name: ApiName) => ports.filter((_, at) => at % 3 === API_ORDER.indexOf(name));
  const ownPorts = portsOf(api);
  return {
    doors,
    workers,
    ports: ownPorts,
    postgres,
    redis,
    databaseUrl,
    control: (...call) => askControl(`http://127.0.0.1:${portsOf('webhooks')[0]}`, key, ...call),
    async ready() {
      const deadline = performance.now() + START_TIMEOUT;
      for (const port of ownPorts) {
        for (;;) {
          const answer = await fetch(`http://127.0.0.1:${port}${READY_PATHS[api]}`).catch(() => undefined);
          await answer?.body?.cancel();
          if (answer?.status === 200) break;
          if (performance.now() > deadline)
            throw new Error(`the door at ${port} does not answer: see ${logs}`);
          await sleep(200);
        }
      }
    },
    async close() {
      const ends = await Promise.all(
        [...doors, ...workers].map(async (each) => ((await each.stop()) ? [] : [each.name])),
      );
      await Promise.all([postgres.close(), redis.close()]);
      rmSync(folder, { recursive: true, force: true });
      return ends.flat();
    },
  };
}
