/**
 * Webhooks of the shim on one core (Linux), with autocannon on the other cores. The real n8n, measured in the same
 * way, did 29-36 requests/s, or 92-121 with its older expression engine. Many workflows are published, and many
 * executions stored. A bare `node:http` server on the same core shows how busy the machine is.
 */
import { execFileSync } from 'node:child_process';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { type RunningShim, startShim } from '#test/support/processes/shim.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { workflowControl } from '#test/support/webhooks/workflow-control.ts';
import { type BareServer, startBareServer } from '../bare-server.ts';
import { Collector, INSPECTABLE } from '../collector.ts';
import type { Figure } from '../figure.ts';
import { loadHttp } from '../http-load.ts';
import { cpuTime, privateMemory } from '../process-usage.ts';
import { regressionSlope } from '../statistics.ts';
import { WEBHOOK_BODY, WEBHOOK_MODES, type WebhookMode } from '../webhook-modes.ts';

const CONNECTIONS = 10;
const WARM_UP = 4;
const SECONDS = 8;
const PUBLISHED = 1000;
const STORED_EXECUTIONS = 10_000;
const REQUESTS = 100_000;
const SAMPLES = 10;
export default async function* webhooks(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  const shim = await startShim(home, { env: { NODE_OPTIONS: INSPECTABLE } });
  const collector = await Collector.connect(shim.output());
  const bare = await startBareServer();
  try {
    const { publish } = await workflowControl(home);
    for (const { id, workflow } of WEBHOOK_MODES) await publish(workflow(id));
    for (const { process } of [shim, bare]) onOneCore(process.pid!);
    for (const mode of WEBHOOK_MODES) yield* measure(shim, bare, mode, '');
    for (let number = 0; number < PUBLISHED; number++) await publish(small(number));
    await load(shim, 'last-node', { amount: STORED_EXECUTIONS });
    yield* measure(
      shim,
      bare,
      WEBHOOK_MODES[1]!,
      `, ${PUBLISHED} published and ${STORED_EXECUTIONS} runs kept`,
    );
    yield* measureGrowth(shim, collector);
  } finally {
    collector.close();
    bare.stop();
    await shim.stop();
    await removeHome(home);
  }
}

async function* measure(shim: RunningShim, bare: BareServer, { id, what, aim }: WebhookMode, suffix: string) {
  const bareResult = await timed(bare.process.pid!, () => call(bare.port, '/', { duration: WARM_UP }));
  await load(shim, id, { duration: WARM_UP });
  const own = await timed(shim.process.pid!, () => load(shim, id, { duration: SECONDS }));
  const name = (figure: string) => `webhooks: ${figure} ${what}${suffix}`;
  yield { name: name('requests/s'), value: own.result.requests.average, aim };
  yield { name: name('p99 ms'), value: own.result.latency.p99 };
  yield { name: name('ms of processor time a request'), value: own.each };
  yield { name: name('times the processor time of a bare server,'), value: own.each / bareResult.each };
  yield { name: name('requests/s of a bare server'), value: bareResult.result.requests.average };
}

/** Runs a load and measures the server's processor time for each request. */
async function timed(pid: number, run: () => ReturnType<typeof loadHttp>) {
  const before = cpuTime(pid);
  const result = await run();
  return { result, each: (cpuTime(pid) - before) / result.requests.total };
}

/** Measures growth after all limits of stored data are reached. Further growth would be unbounded. */
async function* measureGrowth(shim: RunningShim, collector: Collector): AsyncIterable<Figure> {
  const [requestCounts, heap, processMemory]: number[][] = [[], [], []];
  for (let sample = 1; sample <= SAMPLES; sample++) {
    await load(shim, 'last-node', { amount: REQUESTS / SAMPLES });
    requestCounts!.push((sample * REQUESTS) / SAMPLES);
    heap!.push(await collector.collect());
    processMemory!.push(privateMemory(shim.process.pid!));
  }
  const rest = <T>(values: T[]) => values.slice(SAMPLES / 5);
  yield {
    name: `webhooks: bytes of the heap a request, over ${REQUESTS}`,
    value: regressionSlope(rest(requestCounts!), rest(heap!)),
    aim: '<= 20',
  };
  yield {
    name: `webhooks: bytes of the server a request, over ${REQUESTS}`,
    value: regressionSlope(rest(requestCounts!), rest(processMemory!)),
    aim: '<= 500',
  };
}

type Amount = { duration: number } | { amount: number };

const load = (shim: RunningShim, path: string, how: Amount) =>
  call(shim.ports.webhooks, `/webhook/${path}`, how);

const call = (port: number, path: string, how: Amount) =>
  loadHttp({
    url: `http://127.0.0.1:${port}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: WEBHOOK_BODY,
    connections: CONNECTIONS,
    how,
  });

/** Pins all threads of a process to one core. */
function onOneCore(pid: number): void {
  execFileSync('taskset', ['-acp', '0', String(pid)], { stdio: 'ignore' });
}

const small = (number: number) =>
  sentWorkflow(
    workflowOf(
      {
        Webhook: webhookNode(number % 2 === 0 ? `other/${number}` : `other/${number}/:id`),
        Set: setFields({ number }),
      },
      ['Webhook -> Set'],
      { name: `Other ${number}` },
    ),
  );
