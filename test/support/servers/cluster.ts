/** A cluster on this computer, for tests: servers, doors and workers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArguments } from '#shim/cli/arguments.ts';
import { serveCluster } from '#shim/cli/cluster/serve-cluster.ts';
import { work } from '#shim/cli/cluster/work.ts';
import { type ClientCommand, runCommand } from '#shim/cli/commands/index.ts';
import { migrate } from '#shim/cli/commands/migrate.ts';
import { TestTerminal } from '../processes/cli-testing.ts';
import { askControl } from './ask-control.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres.ts';
import { type RedisServer, startRedis } from './redis.ts';

export interface RunningProcess {
  /** Everything that it has printed. */
  text(): string;
  stop(): Promise<void>;
}

export interface RunningDoor extends RunningProcess {
  ports: Record<'local-models' | 'image-workflows' | 'webhooks', string>;
  /** The address of the page. Undefined: it is off, as without `--ports`. */
  page: string | undefined;
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
  /** Runs a command of the command line. Returns its output. */
  run(...words: string[]): Promise<string>;
  /** Starts `tabd work` as a process of its own, which a test may kill. */
  spawnWorker(...options: string[]): Promise<ChildProcess>;
  /** Resolves when workers answer webhooks through these doors. */
  ready(...doors: RunningDoor[]): Promise<void>;
  /** Imports a workflow through the door and publishes it. Returns its id. */
  publish(door: RunningDoor, workflow: object): Promise<string>;
  /** Calls the control API through the door. */
  control<T>(door: RunningDoor, method: string, path: string, body?: object): Promise<T>;
  close(): Promise<void>;
}

export interface TestClusterOptions {
  /** A home whose models, files and records the cluster begins with. Default: an empty one. */
  home?: string;
  /** Settings of all processes. */
  settings?: Record<string, string>;
  postgres?: PostgresOptions;
}

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-cluster-'));
  const [postgres, redis] = await Promise.all([startPostgres(options.postgres), startRedis()]);
  const env: NodeJS.ProcessEnv = {
    TABD_DATABASE_URL: await postgres.newDatabase(),
    TABD_REDIS_URL: redis.url,
    TABD_FILES_URL: pathToFileURL(join(folder, 'shared')).href,
    N8N_ENCRYPTION_KEY: 'a secret of the cluster',
    TABD_TAKEOVER_AFTER: '1',
    ...options.settings,
  };
  const running = new Set<RunningProcess>();
  const children: ChildProcess[] = [];
  const home = options.home ?? join(folder, 'home');
  const run = async (...words: string[]): Promise<string> => {
    const [args, out] = [parseArguments(words), new TestTerminal()];
    const io = { out, err: new TestTerminal(), input: new PassThrough(), env, home };
    await runCommand(args.command as ClientCommand, args, { io, signal: new AbortController().signal });
    return out.text;
  };
  if (options.home !== undefined) {
    const io = { out: new TestTerminal(), env, home };
    await migrate(parseArguments(['migrate', 'to-cluster']), io, new AbortController().signal);
  }
  const key = (await run('key', 'create', 'test', '--cluster')).trim();

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
  const control: TestCluster['control'] = (door, ...call) => askControl(door.ports.webhooks, key, ...call);
  return {
    env,
    home,
    postgres,
    redis,
    key,
    run,
    control,
    async startDoor(...options) {
      const ports = options.includes('--ports') ? [] : ['--ports', 'app=off,0,0,0'];
      const words = ['serve', '--cluster', ...ports, ...options];
      const door = await start(serveCluster, words, /webhooks http\S+/);
      const port = (name: string) => new RegExp(`${name} (http[^,\\s]+)`).exec(door.text())![1]!;
      return {
        ...door,
        page: /page (http[^,\s]+)/.exec(door.text())?.[1],
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
    async ready(...doors) {
      const deadline = performance.now() + 60_000;
      for (const { ports } of doors) {
        while ((await fetch(`${ports.webhooks}/healthz`)).status !== 200) {
          if (performance.now() > deadline) throw new Error('no worker answers webhooks');
          await sleep(100);
        }
      }
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
