import { join, resolve } from 'node:path';
import type { Log } from '#core/host';
import { API_NAMES, type ApiName } from '#core/http';
import { flagSetting } from '#core/settings';
import { aborted } from '../../base/aborted.ts';
import { settingValue } from '../../base/setting-value.ts';
import { UsageError } from '../../base/usage-error.ts';
import { connectCluster, newProcessName } from '../../cluster/cluster-connection.ts';
import { PostgresCluster } from '../../cluster/postgres-cluster.ts';
import { ClusterWorker, type WorkerOptions, WorkerState } from '../../cluster/worker.ts';
import { HomeInUse } from '../../home/home-lock.ts';
import { createLog } from '../../host/log.ts';
import { splitDatabaseUrl } from '../../storage/postgres/postgres-records.ts';
import { openStoresOf, requiredSetting } from '../../storage/shared/open-shared-stores.ts';
import type { Arguments } from '../arguments.ts';
import { type NodeCore, type NodeCoreOptions, openNodeCore } from '../node-core.ts';
import type { ServeIo } from '../serve/serve.ts';
import { readLogFormat } from '../serve/serve-options.ts';

/** Milliseconds that running work has to finish after the first Ctrl+C. */
const GRACE_PERIOD = 30_000;
/** Webhook calls at the same time. */
const DEFAULT_CONCURRENCY = 100;
/** Seconds. */
const DEFAULT_TAKEOVER_AFTER = 10;
const MAX_HOMES = 100;

/** `tabd work`: does the work of a cluster. Returns when `stop` has aborted and everything is closed. */
export async function work(args: Arguments & { home: string }, io: ServeIo): Promise<void> {
  const level = flagSetting({ setting: (name) => io.env[name] }, 'OLLAMA_DEBUG') ? 'debug' : 'info';
  const log = createLog({ level, json: readLogFormat(args) === 'json' });
  const options = readOptions(args);
  const env: NodeJS.ProcessEnv = {
    N8N_CONCURRENCY_PRODUCTION_LIMIT: String(options.concurrency),
    ...io.env,
    // All processes read and write the same credentials.
    N8N_ENCRYPTION_KEY: requiredSetting(io.env, 'N8N_ENCRYPTION_KEY'),
  };
  const name = newProcessName('worker');
  const state = new WorkerState(name, options);
  const { url, namespace } = splitDatabaseUrl(requiredSetting(env, 'TABD_DATABASE_URL'));
  const connection = await connectCluster(env, log, () => state.describe());
  try {
    const cluster = await PostgresCluster.open({
      url,
      namespace,
      process: name,
      log,
      grace: readGrace(env),
    });
    try {
      await runWorker({ args, io, env, log, options, state, connection, cluster });
    } finally {
      await cluster.close();
    }
  } finally {
    await connection.close();
  }
}

interface Parts {
  args: Arguments & { home: string };
  io: ServeIo;
  env: NodeJS.ProcessEnv;
  log: Log;
  options: WorkerOptions;
  state: WorkerState;
  connection: Awaited<ReturnType<typeof connectCluster>>;
  cluster: PostgresCluster;
}

async function runWorker({ args, io, env, log, options, state, connection, cluster }: Parts): Promise<void> {
  const core = await openInFreeHome(resolve(args.home), {
    env,
    log,
    cluster,
    openStores: async (home, storesEnv, schema) => {
      const stores = await openStoresOf(cluster.process, home, storesEnv, schema);
      cluster.use(stores.records);
      return stores;
    },
  });
  let lost: Error | undefined;
  const stop = new AbortController();
  const signal = AbortSignal.any([io.stop, stop.signal]);
  try {
    state.core = core;
    const worker = new ClusterWorker(core, cluster, connection, state, options, (cause) => {
      lost = cause;
      stop.abort();
    });
    await connection.presence.update();
    io.out.write(`working as ${connection.process}: ${options.apis.join(', ')}\n`);
    await aborted(signal);
    await worker.close(AbortSignal.any([io.force, AbortSignal.timeout(lost ? 1 : GRACE_PERIOD)]));
  } finally {
    await core.close();
  }
  if (lost) throw lost;
}

/** @throws UsageError */
function readOptions({ options }: Arguments): WorkerOptions {
  const names = listOf(options.apis) ?? [...API_NAMES];
  const unknown = names.find((name) => !(API_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new UsageError(`--apis lists some of ${API_NAMES.join(', ')}${unknown ? `, not ${unknown}` : ''}`);
  const concurrency = options.concurrency === undefined ? DEFAULT_CONCURRENCY : Number(options.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new UsageError('--concurrency is a whole number from 1 on');
  return { apis: names as ApiName[], concurrency, models: listOf(options.models) };
}

/** @returns milliseconds. @throws UsageError */
function readGrace(env: NodeJS.ProcessEnv): number {
  const seconds = Number(settingValue(env.TABD_TAKEOVER_AFTER) ?? DEFAULT_TAKEOVER_AFTER);
  if (!(seconds > 0)) throw new UsageError('TABD_TAKEOVER_AFTER is a number of seconds');
  return seconds * 1000;
}

const listOf = (option: string | true | undefined): string[] | undefined =>
  typeof option === 'string' ? option.split(',').map((each) => each.trim()) : undefined;

/** Each worker has a folder of its own for copies of files, which it locks. */
async function openInFreeHome(home: string, options: Omit<NodeCoreOptions, 'home'>): Promise<NodeCore> {
  for (let number = 1; number <= MAX_HOMES; number++) {
    try {
      return await openNodeCore({ ...options, home: join(home, 'workers', String(number)) });
    } catch (error) {
      if (!(error instanceof HomeInUse)) throw error;
    }
  }
  throw new UsageError(`${home} has ${MAX_HOMES} workers already`);
}
