/**
 * The cost of the way through a door, the queue and a worker: webhooks of a cluster, compared with one `tabd serve` on
 * the same machine. PostgreSQL, Redis, the door, the workers and the caller share its cores. Calls that wait show how many
 * calls at once more workers add. A simulation with the measured times continues that to 100 workers.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startKillCluster as startProcesses } from '#test/cluster-kill/cluster.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { sentWorkflow, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { workflowControl } from '#test/support/webhooks/workflow-control.ts';
import { simulateCluster } from '../cluster-simulation.ts';
import type { Figure } from '../figure.ts';
import { loadHttp } from '../http-load.ts';
import { interleaved, median, pairedRatio, percentile } from '../statistics.ts';
import { WEBHOOK_BODY, WEBHOOK_MODES } from '../webhook-modes.ts';

const WORKERS = [1, 2, 4];
/** Calls at once of each worker. */
const CONCURRENCY = 5;
const WARM_UP = 3;
const SECONDS = 4;
const PAIRS = 3;
/** Calls whose times are measured one after the other. */
const CALLS = 300;
/** Milliseconds of a call that waits, as one that asks another server. */
const WAIT = 200;
/** Below the packages, which the processes load. */
const logs = fileURLToPath(new URL('../../.cache/bench-cluster', import.meta.url));
const MODES = WEBHOOK_MODES.filter(({ id }) => ['at-once', 'last-node', 'code'].includes(id));

export default async function* cluster(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  const embedded = await startShim(home);
  try {
    const { publish } = await workflowControl(home);
    for (const { id, workflow } of MODES) await publish(workflow(id));
    for (const workers of WORKERS) {
      const size = { doors: 1, workers, concurrency: CONCURRENCY, takeover: 'fail' };
      const processes = await startProcesses(size, logs);
      try {
        await processes.ready();
        for (const workflow of [...MODES.map((mode) => mode.workflow(mode.id)), waiting]) {
          const { id } = await processes.control<{ id: string }>('POST', '/workflows', workflow);
          await processes.control('POST', `/workflows/${id}/activate`);
        }
        const door = processes.ports[0]!;
        if (workers === 1) yield* compare(embedded.ports.webhooks, door);
        yield* throughput(door, workers);
      } finally {
        await processes.close();
      }
    }
  } finally {
    await embedded.stop();
    await removeHome(home);
    rmSync(logs, { recursive: true, force: true });
  }
}

/** One caller, which shows the time of a call, and ten, which show calls a second. */
async function* compare(embedded: number, door: number): AsyncIterable<Figure> {
  for (const { id, what } of MODES) {
    const [own, through] = [embedded, door].map((port) => () => callTimes(port, id));
    await own!();
    await through!();
    const times = await interleaved(PAIRS, own!, through!);
    for (const [share, name] of [
      [0.5, 'p50'],
      [0.99, 'p99'],
    ] as const) {
      const of = (runs: number[][]) => runs.map((run) => percentile(run, share));
      yield { name: `cluster: ${name} ms, one process, ${what}`, value: median(of(times.a)) };
      yield { name: `cluster: ${name} ms, through a door, ${what}`, value: median(of(times.b)) };
    }
    const rates = await interleaved(
      PAIRS,
      () => requestRate(embedded, id, 10),
      () => requestRate(door, id, 10),
    );
    yield { name: `cluster: calls/s, one process, ${what}`, value: median(rates.a) };
    yield { name: `cluster: calls/s, through a door, ${what}`, value: median(rates.b) };
    yield {
      name: `cluster: calls/s through a door, of those of one process, ${what}`,
      value: pairedRatio(rates.b, rates.a),
    };
  }
}

async function* throughput(door: number, workers: number): AsyncIterable<Figure> {
  await requestRate(door, 'code', 10, WARM_UP);
  yield { name: `cluster: calls/s, Code, workers: ${workers}`, value: await requestRate(door, 'code', 10) };
  const most = (1000 / WAIT) * CONCURRENCY * workers;
  yield {
    name: `cluster: calls/s that wait ${WAIT} ms, of ${most} possible, workers: ${workers}`,
    value: await requestRate(door, 'waiting', 2 * CONCURRENCY * workers),
  };
  if (workers > 1) return;
  const serviceTimes = await callTimes(door, 'waiting', 50);
  for (const load of [0.5, 0.8, 0.95]) {
    const times = simulateCluster({
      ...{ workers: 100, places: CONCURRENCY, serviceTimes, load, calls: 500_000, seed: 1 },
    });
    for (const [share, name] of [
      [0.5, 'p50'],
      [0.99, 'p99'],
    ] as const)
      yield {
        name: `cluster, simulated: ${name} ms of calls that wait, 100 workers at a load of ${load}`,
        value: percentile(times, share),
      };
  }
}

const waiting = sentWorkflow(
  workflowOf(
    {
      Webhook: webhookNode('waiting', { responseMode: 'lastNode' }),
      Wait: {
        type: 'wait',
        typeVersion: 1.1,
        parameters: { resume: 'timeInterval', amount: WAIT / 1000, unit: 'seconds' },
      },
    },
    ['Webhook -> Wait'],
    { name: 'waiting' },
  ),
);

const address = (port: number, id: string) => `http://127.0.0.1:${port}/webhook/${id}`;
const headers = { 'content-type': 'application/json' };

/** Milliseconds of each call, one after the other. */
async function callTimes(port: number, id: string, calls = CALLS): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const begin = performance.now();
    const answer = await fetch(address(port, id), { method: 'POST', headers, body: WEBHOOK_BODY });
    await answer.text();
    if (!answer.ok) throw new Error(`${id}: ${answer.status}`);
    times.push(performance.now() - begin);
  }
  return times;
}

async function requestRate(
  port: number,
  id: string,
  connections: number,
  duration = SECONDS,
): Promise<number> {
  const how = { duration };
  const request = { url: address(port, id), method: 'POST', headers, body: WEBHOOK_BODY } as const;
  return (await loadHttp({ ...request, connections, how })).requests.average;
}
