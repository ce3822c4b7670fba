/**
 * Webhooks of the shim on one core (Linux), with autocannon on the other cores. The real n8n, measured in the same
 * way, did 29-36 requests/s, or 92-121 with its older expression engine. Many workflows are published, and many
 * executions stored. A bare `node:http` server on the same core shows how busy the machine is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { type RunningShim, startShim } from '#test/support/processes/shim.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { workflowControl } from '#test/support/webhooks/workflow-control.ts';
import { Collector, INSPECTABLE } from '../collector.ts';
import type { Figure } from '../figure.ts';
import { cpuTime, privateMemory } from '../process-usage.ts';
import { regressionSlope } from '../statistics.ts';

const CONNECTIONS = 10;
const WARM_UP = 4;
const SECONDS = 8;
const PUBLISHED = 1000;
const STORED_EXECUTIONS = 10_000;
const REQUESTS = 100_000;
const SAMPLES = 10;
const BODY = '{"a":1,"name":"x"}';

const respond = (respondWith: string) => ({
  type: 'respondToWebhook',
  typeVersion: 1.5,
  parameters: { respondWith },
});

const MODES = [
  {
    path: 'at-once',
    what: 'Immediately',
    aim: '>= 2000',
    workflow: workflowOf({ Webhook: webhookNode('at-once', { responseMode: 'onReceived' }) }, []),
  },
  {
    path: 'last-node',
    what: 'When Last Node Finishes, with Set',
    aim: '>= 2000',
    workflow: workflowOf(
      { Webhook: webhookNode('last-node'), Set: setFields({ hello: '={{ $json.body.name }}' }, false) },
      ['Webhook -> Set'],
    ),
  },
  {
    path: 'by-node',
    what: "Using 'Respond to Webhook' Node, with Set",
    aim: '>= 2000',
    workflow: workflowOf(
      {
        Webhook: webhookNode('by-node', { responseMode: 'responseNode' }),
        Set: setFields({ hello: '={{ $json.body.name }}' }, false),
        Respond: respond('firstIncomingItem'),
      },
      ['Webhook -> Set', 'Set -> Respond'],
    ),
  },
  {
    path: 'code',
    what: "Using 'Respond to Webhook' Node, with Code",
    aim: '>= 500',
    workflow: workflowOf(
      {
        Webhook: webhookNode('code', { responseMode: 'responseNode' }),
        Code: codeNode('return { sum: $json.body.a + 1 };'),
        Respond: respond('firstIncomingItem'),
      },
      ['Webhook -> Code', 'Code -> Respond'],
    ),
  },
];

export default async function* webhooks(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  const shim = await startShim(home, { env: { NODE_OPTIONS: INSPECTABLE } });
  const collector = await Collector.connect(shim.output());
  const bare = await startBare();
  try {
    const { publish } = await workflowControl(home);
    for (const { what, workflow } of MODES) await publish(toControlApi(workflow, what));
    for (const { process } of [shim, bare]) onOneCore(process.pid!);
    for (const mode of MODES) yield* measure(shim, bare, mode, '');
    for (let number = 0; number < PUBLISHED; number++)
      await publish(toControlApi(small(number), `Other ${number}`));
    await load(shim, 'last-node', { amount: STORED_EXECUTIONS });
    yield* measure(shim, bare, MODES[1]!, `, ${PUBLISHED} published and ${STORED_EXECUTIONS} runs kept`);
    yield* measureGrowth(shim, collector);
  } finally {
    collector.close();
    bare.process.kill();
    await shim.stop();
    await removeHome(home);
  }
}

async function* measure(
  shim: RunningShim,
  bare: Bare,
  { path, what, aim }: (typeof MODES)[number],
  suffix: string,
) {
  const bareResult = await timed(bare.process.pid!, () => call(bare.port, '/', { duration: WARM_UP }));
  await load(shim, path, { duration: WARM_UP });
  const own = await timed(shim.process.pid!, () => load(shim, path, { duration: SECONDS }));
  const name = (figure: string) => `webhooks: ${figure} ${what}${suffix}`;
  yield { name: name('requests/s'), value: own.result.requests.average, aim };
  yield { name: name('p99 ms'), value: own.result.latency.p99 };
  yield { name: name('ms of processor time a request'), value: own.each };
  yield { name: name('times the processor time of a bare server,'), value: own.each / bareResult.each };
  yield { name: name('requests/s of a bare server'), value: bareResult.result.requests.average };
}

/** Runs a load and measures the server's processor time for each request. */
async function timed(pid: number, run: () => Promise<autocannon.Result>) {
  const before = cpuTime(pid);
  const result = await run();
  return { result, each: (cpuTime(pid) - before) / result.requests.total };
}

interface Bare {
  process: ReturnType<typeof spawn>;
  port: number;
}

const BARE = `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"hello":"x"}'));
  }).listen(0, '127.0.0.1', () => console.log(server.address().port));`;

async function startBare(): Promise<Bare> {
  const child = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { process: child, port: Number(String(port)) };
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

async function call(port: number, path: string, how: Amount): Promise<autocannon.Result> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
    connections: CONNECTIONS,
    ...how,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${path}: ${result.non2xx} bad answers and ${result.errors} errors`);
  }
  return result;
}

/** Pins all threads of a process to one core. */
function onOneCore(pid: number): void {
  execFileSync('taskset', ['-acp', '0', String(pid)], { stdio: 'ignore' });
}

const small = (number: number) =>
  workflowOf(
    {
      Webhook: webhookNode(number % 2 === 0 ? `other/${number}` : `other/${number}/:id`),
      Set: setFields({ number }),
    },
    ['Webhook -> Set'],
  );

/** A workflow in the format of the control API. */
function toControlApi({ nodes, connections, settings }: ReturnType<typeof workflowOf>, name: string) {
  return { name, nodes, connections, settings };
}
