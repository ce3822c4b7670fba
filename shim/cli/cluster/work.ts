import { resolve } from 'node:path';
import type { Log } from '#core/host';
import { API_NAMES, type ApiName } from '#core/http';
import { countSetting, flagSetting } from '#core/settings';
import { aborted } from '../../base/aborted.ts';
import { settingValue } from '../../base/setting-value.ts';
import { UsageError } from '../../base/usage-error.ts';
import { connectCluster, REDIS_PREFIX } from '../../cluster/cluster-connection.ts';
import { ClusterEvents } from '../../cluster/cluster-events.ts';
import { HostCluster } from '../../cluster/host-cluster.ts';
import { JobQueue } from '../../cluster/job-queue.ts';
import { Peers } from '../../cluster/peers.ts';
import { PostgresCluster } from '../../cluster/postgres-cluster.ts';
import { newProcessName } from '../../cluster/process-name.ts';
import { ClusterWorker, type WorkerOptions, WorkerState } from '../../cluster/worker.ts';
import { createLog } from '../../host/log.ts';
import { Metrics } from '../../metrics/metrics.ts';
import type { PortListener } from '../../ports/listener.ts';
import { splitDatabaseUrl } from '../../storage/postgres/postgres-records.ts';
import { openStoresOf, requiredSetting } from '../../storage/shared/open-shared-stores.ts';
import { startTracing } from '../../tracing/start-tracing.ts';
import { tracedServer } from '../../tracing/traced-server.ts';
import { tracedText } from '../../tracing/traced-text.ts';
import type { Arguments } from '../arguments.ts';
import type { ServeIo } from '../serve/serve.ts';
import { readLogFormat } from '../serve/serve-options.ts';
import { openInFreeHome } from './free-home.ts';
import { openMetricsPort, readMetricsAddress } from './metrics-port.ts';

/** Milliseconds that running work has to finish after the first Ctrl+C. */
const GRACE_PERIOD = 30_000;
/** Webhook calls at the same time. */
const DEFAULT_CONCURRENCY = 100;
/** Seconds. */
const DEFAULT_TAKEOVER_AFTER = 10;

/** `tabd work`: does the work of a cluster. Returns when `stop` has aborted and everything is closed. */
export async function work(args: Arguments & { home: string }, io: ServeIo): Promise<void> {
  const level = flagSetting({ setting: (name) => io.env[name] }, 'OLLAMA_DEBUG') ? 'debug' : 'info';
  const log = createLog({ level, json: readLogFormat(args) === 'json' });
  const options = readOptions(args, io.env);
  const env: NodeJS.ProcessEnv = {
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

/** The queue with its limit over all workers, sessions with other processes, and their events. */
async function openAgreements({ connection, cluster, env, log }: Parts) {
  const [queue, peers] = [new JobQueue(connection), new Peers(connection.sockets)];
  const events = new ClusterEvents(connection, REDIS_PREFIX, log);
  await queue.limit(countSetting({ setting: (name) => env[name] }, 'N8N_CONCURRENCY_PRODUCTION_LIMIT'));
  return {
    host: new HostCluster({ postgres: cluster, queue, peers, events, presence: connection.presence }),
    async close() {
      events.close();
      peers.close('this process is stopping');
      await queue.close();
    },
  };
}

async function runWorker(parts: Parts): Promise<void> {
  const { args, io, env, log, options, state, connection, cluster } = parts;
  // Wrong settings must not leave a connection behind.
  const tracing = await startTracing(env, cluster.process, log);
  const agreements = await openAgreements(parts);
  const metrics = new Metrics(log);
  const core = await openInFreeHome(resolve(args.home), {
    // The limit of this worker. That of the cluster is the queue's.
    env: { ...env, N8N_CONCURRENCY_PRODUCTION_LIMIT: String(options.concurrency) },
    log,
    cluster: agreements.host,
    watch: (text) => tracedText(metrics.meter(text), tracing),
    meter: metrics.work,
    ...(tracing && { tracing }),
    openStores: async (home, storesEnv, schema) => {
      const stores = await openStoresOf(cluster.process, home, storesEnv, schema);
      cluster.use(stores.records);
      return stores;
    },
  });
  let lost: Error | undefined;
  const stop = new AbortController();
  const signal = AbortSignal.any([io.stop, stop.signal]);
  let port: PortListener | undefined;
  try {
    const address = readMetricsAddress(args.options.metrics);
    port = address && (await openMetricsPort(address, core, metrics));
    state.core = core;
    const worker = new ClusterWorker(
      core,
      tracedServer(core.server, tracing),
      cluster,
      connection,
      state,
      options,
      (cause) => {
        lost = cause;
        stop.abort();
      },
    );
    await connection.presence.update();
    const answers = port ? `; metrics at port ${port.port}` : '';
    io.out.write(`working as ${connection.process}: ${options.apis.join(', ')}${answers}\n`);
    await aborted(signal);
    await worker.close(AbortSignal.any([io.force, AbortSignal.timeout(lost ? 1 : GRACE_PERIOD)]));
  } finally {
    await port?.close(AbortSignal.abort());
    await core.close();
    await agreements.close();
    await tracing?.close();
  }
  if (lost) throw lost;
}

/** @throws UsageError */
function readOptions({ options }: Arguments, env: NodeJS.ProcessEnv): WorkerOptions {
  const names = listOf(options.apis) ?? [...API_NAMES];
  const unknown = names.find((name) => !(API_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new UsageError(`--apis lists some of ${API_NAMES.join(', ')}${unknown ? `, not ${unknown}` : ''}`);
  const concurrency = options.concurrency === undefined ? DEFAULT_CONCURRENCY : Number(options.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new UsageError('--concurrency is a whole number from 1 on');
  return {
    apis: names as ApiName[],
    concurrency,
    models: listOf(options.models),
    modelMemory: readModelMemory(env),
  };
}

/** @returns bytes. @throws UsageError */
function readModelMemory(env: NodeJS.ProcessEnv): number | undefined {
  const value = settingValue(env.TABD_CLUSTER_MODEL_MEMORY);
  if (value === undefined) return undefined;
  const gibibytes = Number(value);
  if (!(gibibytes > 0)) throw new UsageError('TABD_CLUSTER_MODEL_MEMORY is a number of GiB');
  return gibibytes * 1024 ** 3;
}

/** @returns milliseconds. @throws UsageError */
function readGrace(env: NodeJS.ProcessEnv): number {
  const seconds = Number(settingValue(env.TABD_TAKEOVER_AFTER) ?? DEFAULT_TAKEOVER_AFTER);
  if (!(seconds > 0)) throw new UsageError('TABD_TAKEOVER_AFTER is a number of seconds');
  return seconds * 1000;
}

const listOf = (option: string | true | undefined): string[] | undefined =>
  typeof option === 'string' ? option.split(',').map((each) => each.trim()) : undefined;
