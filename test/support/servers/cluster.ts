/** A cluster on this computer, for tests: servers, doors and workers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { recordsSchema } from '#core/host';
import { ApiKeys } from '#core/webhooks/credentials/api-keys.ts';
import { parseArguments } from '#shim/cli/arguments.ts';
import { serveCluster } from '#shim/cli/cluster/serve-cluster.ts';
import { work } from '#shim/cli/cluster/work.ts';
import { systemClock } from '#shim/host/clock.ts';
import { PostgresRecords } from '#shim/storage/postgres/postgres-records.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { type RedisServer, startRedis } from './redis.ts';

export interface RunningProcess {
  /** Everything that it has printed. */
  text(): string;
  stop(): Promise<void>;
}

export interface RunningDoor extends RunningProcess {
  ports: Record<'local-models' | 'image-workflows' | 'webhooks', string>;
}

export interface TestCluster {
  env: NodeJS.ProcessEnv;
  home: string;
  postgres: PostgresServer;
  redis: RedisServer;
  /** A key of the control API. */
  key: string;
  startDoor(...options: string[]): Promise<RunningDoor>;
  startWorker(...options: string[]): Promise<RunningProcess>;
  /** Starts `tabd work` as a process of its own, which a test may kill. */
  spawnWorker(...options: string[]): Promise<ChildProcess>;
  /** Imports a workflow through the door and publishes it. Returns its id. */
  publish(door: RunningDoor, workflow: object): Promise<string>;
  /** Calls the control API through the door. */
  control<T>(door: RunningDoor, method: string, path: string, body?: object): Promise<T>;
  close(): Promise<void>;
}

export async function startTestCluster(): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-cluster-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const env: NodeJS.ProcessEnv = {
    TABD_DATABASE_URL: await postgres.newDatabase(),
    TABD_REDIS_URL: redis.url,
    TABD_FILES_URL: pathToFileURL(join(folder, 'shared')).href,
    N8N_ENCRYPTION_KEY: 'a secret of the cluster',
    TABD_TAKEOVER_AFTER: '1',
  };
  const records = await PostgresRecords.open({ url: env.TABD_DATABASE_URL! }, recordsSchema);
  const { key } = await new ApiKeys({ records, clock: systemClock() }).create('test');
  await records.close();
  const running = new Set<RunningProcess>();
  const children: ChildProcess[] = [];
  const home = join(folder, 'home');

  const start = async (command: typeof work, words: string[], ready: RegExp): Promise<RunningProcess> => {
    let text = '';
    const stop = new AbortController();
    let wrote = () => {};
    const out = {
      write(part: string) {
        text += part;
        wrote();
      },
    } as never;
    const done = command(
      { ...parseArguments([...words, '--home', home]), home },
      { env, out, stop: stop.signal, force: new AbortController().signal },
    );
    const started: RunningProcess = {
      text: () => text,
      async stop() {
        running.delete(started);
        stop.abort();
        await done;
      },
    };
    await Promise.race([
      new Promise<void>((resolve) => {
        wrote = () => ready.test(text) && resolve();
        wrote();
      }),
      done.then(() => Promise.reject(new Error(`it ended:\n${text}`))),
    ]);
    running.add(started);
    return started;
  };
  const control: TestCluster['control'] = async (door, method, path, body) => {
    const response = await fetch(`${door.ports.webhooks}/api/v1${path}`, {
      method,
      headers: { 'x-n8n-api-key': key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as never;
  };
  return {
    env,
    home,
    postgres,
    redis,
    key,
    control,
    async startDoor(...options) {
      const words = ['serve', '--cluster', '--ports', 'app=off,0,0,0', ...options];
      const door = await start(serveCluster, words, /webhooks http\S+/);
      const port = (name: string) => new RegExp(`${name} (http[^,\\s]+)`).exec(door.text())![1]!;
      return {
        ...door,
        ports: {
          'local-models': port('local-models'),
          'image-workflows': port('image-workflows'),
          webhooks: port('webhooks'),
        },
      };
    },
    startWorker: (...options) => start(work, ['work', ...options], /working as \S+/),
    async spawnWorker(...options) {
      const cli = fileURLToPath(new URL('../../../shim/cli.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', cli, 'work', '--home', home, ...options], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await once(child.stdout, 'data');
      return child;
    },
    async publish(door, workflow) {
      const { id } = await control<{ id: string }>(door, 'POST', '/workflows', workflow);
      await control(door, 'POST', `/workflows/${id}/activate`);
      return id;
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all([...running].map((each) => each.stop()));
      await Promise.all([postgres.close(), redis.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
