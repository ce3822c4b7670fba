import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { TABD_VERSION } from '#core/base';
import { findAppFolder } from '../../app-server/app-folder.ts';
import { clusterRoutes } from '../../app-server/cluster-routes.ts';
import { aborted } from '../../base/aborted.ts';
import { settingValue } from '../../base/setting-value.ts';
import { UsageError } from '../../base/usage-error.ts';
import { connectCluster, REDIS_PREFIX } from '../../cluster/cluster-connection.ts';
import { Door } from '../../cluster/door.ts';
import { newProcessName } from '../../cluster/process-name.ts';
import { SharedLimiter } from '../../cluster/shared-limiter.ts';
import { createLog } from '../../host/log.ts';
import { CONTENT_TYPE } from '../../metrics/instruments.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { startTracing } from '../../tracing/start-tracing.ts';
import { tracedServer } from '../../tracing/traced-server.ts';
import type { Arguments } from '../arguments.ts';
import { withOllamaHost } from '../serve/ollama-host-ports.ts';
import { type OpenServers, openServers } from '../serve/open-servers.ts';
import type { ServeIo } from '../serve/serve.ts';
import { readAccess, readHttps, readLogFormat } from '../serve/serve-options.ts';
import { addressOf } from '../serve/serve-text.ts';
import { withWebhooksPort } from '../serve/webhooks-port.ts';

/** Milliseconds that running requests have to finish after the first Ctrl+C. */
const GRACE_PERIOD = 30_000;

/** `tabd serve --cluster`: a door. Returns when `stop` has aborted and everything is closed. */
export async function serveCluster(args: Arguments & { home: string }, io: ServeIo): Promise<void> {
  if (args.viaTab) throw new UsageError('--via-tab and --cluster exclude each other');
  if (args.lists.with) throw new UsageError('--with needs a server of one process: use tabd pull');
  const log = createLog({ json: readLogFormat(args) === 'json' });
  const https = await readHttps(args);
  const name = newProcessName('door');
  // Wrong settings must not leave a connection behind.
  const tracing = await startTracing(io.env, name, log);
  const connection = await connectCluster(io.env, log, () => ({
    process: name,
    role: 'door',
    version: TABD_VERSION,
    apis: [],
    loaded: [],
    uptime: Math.round(process.uptime()),
    running: 0,
    leads: {},
  }));
  const workers = startWorkers(args, io);
  const metrics = new Metrics(log);
  try {
    const access = readAccess(
      args,
      io.env,
      (limits, digest) => new SharedLimiter(connection, REDIS_PREFIX, limits, digest),
    );
    const door = new Door(
      connection,
      [settingValue(io.env.N8N_ENDPOINT_WEBHOOK) ?? 'webhook', 'form'],
      tracing,
    );
    const { ports: modelPorts, notices } = withOllamaHost(args.ports, io.env, https !== undefined);
    const { ports, notices: more } = withWebhooksPort(modelPorts, io.env);
    let serving: OpenServers | undefined;
    serving = await openServers({
      ports,
      listen: args.listen,
      ...(https && { tls: https.certificate.server, httpsHosts: https.hosts }),
      gates: [metrics.gate, ...(access ? [access.gate] : [])],
      notice: (text) => notices.push(text),
      server: () => tracedServer(door, tracing),
      app: {
        folder: findAppFolder(),
        ...(https && { authority: https.certificate.authority }),
        metrics: (headers) => printMetrics(door, metrics, !access || access.knows(headers)),
        extraRoutes: clusterRoutes({ overview: door.overview, origin: () => serving?.appOrigin }),
      },
    });
    try {
      const rows = serving.ports.map(({ info, host, port }) => `${info.listener} ${addressOf(host, port)}`);
      if (serving.appOrigin) rows.push(`page ${serving.appOrigin}`);
      io.out.write(
        `a door of the cluster: ${rows.join(', ')}\n${[...notices, ...more].map((text) => `${text}\n`).join('')}`,
      );
      await aborted(io.stop);
    } finally {
      await serving.close(AbortSignal.any([io.force, AbortSignal.timeout(GRACE_PERIOD)]));
      await door.close();
    }
  } finally {
    await Promise.all(workers.map(stopWorker));
    await connection.close();
    await tracing?.close();
  }
}

async function printMetrics(door: Door, metrics: Metrics, isAllowed: boolean): Promise<Response> {
  if (!isAllowed) return new Response('this server requires a key\n', { status: 401 });
  const [queued, images] = await Promise.all([door.waiting(), door.overview.remainingPrompts()]);
  const text = metrics.print({
    queued,
    ...(images !== undefined && { images }),
    workers: door.overview.workers(),
  });
  return new Response(text, { headers: { 'content-type': CONTENT_TYPE } });
}

/** Starts workers on this computer, for development. */
function startWorkers({ options, home }: Arguments & { home: string }, { env }: ServeIo): ChildProcess[] {
  if (options.workers === undefined) return [];
  const count = Number(options.workers);
  if (!Number.isInteger(count) || count < 1) throw new UsageError('--workers is a whole number from 1 on');
  const command = [...process.execArgv, process.argv[1]!, 'work', '--home', home];
  return Array.from({ length: count }, () => spawn(process.execPath, command, { env, stdio: 'inherit' }));
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
}
