/** Ten thousand concurrent callers, each with a connection of its own to the real port. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { privateMemory } from '#bench/process-usage.ts';
import { type Crowd, type CrowdAnswer, sendCrowd } from '../support/network/crowd.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { webhookNode } from '../support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '../support/webhooks/workflow-builder.ts';
import { type WorkflowControl, workflowControl } from '../support/webhooks/workflow-control.ts';

/** The default limits: concurrent executions, and the length of the queue. */
const RUNNING = 100;
const QUEUED = 10_000;
/** Callers beyond the queue's length. */
const TOO_MANY = 50;
/** The most bytes that the server needs for a waiting caller: connection, request and execution. */
const A_CALLER = 100_000;

let home: string;
let shim: RunningShim;
let control: WorkflowControl;
const held: ServerResponse[] = [];
const site = createServer((_request, response) => void held.push(response));
const crowds: Crowd[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  home = await makeHome([]);
  shim = await startShim(home, {
    env: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true', EXECUTIONS_DATA_PRUNE: 'false' },
  });
  control = await workflowControl(home);
});
afterAll(async () => {
  for (const crowd of crowds) crowd.close();
  await shim?.stop();
  if (home) await removeHome(home);
  site.closeAllConnections();
  site.close();
});

async function publish(path: string, nodes: Parameters<typeof workflowOf>[0], edges: string[]) {
  await control.publish(sentWorkflow(workflowOf(nodes, edges, { name: path })));
}

const numbered = (count: number) => Array.from({ length: count }, (_value, n) => ({ n }));

async function send(path: string, count: number): Promise<Crowd> {
  const crowd = await sendCrowd(shim.ports.webhooks, `/webhook/${path}`, numbered(count));
  crowds.push(crowd);
  return crowd;
}

/** The number of successful executions. */
async function succeeded(): Promise<number> {
  let count = 0;
  let cursor = '';
  do {
    const page = await control.json(
      'GET',
      `/executions?status=success&limit=250${cursor && `&cursor=${cursor}`}`,
    );
    count += page.data.length;
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  return count;
}

test('callers wait in the queue and are answered; callers beyond its length are refused at once', async () => {
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await publish(
    'hold',
    {
      Webhook: webhookNode('hold'),
      Ask: { type: 'httpRequest', typeVersion: 4.2, parameters: { url: address } },
    },
    ['Webhook -> Ask'],
  );
  await publish('go', { Webhook: webhookNode('go'), Say: setFields({ n: '={{ $json.body.n }}' }, false) }, [
    'Webhook -> Say',
  ]);
  const before = privateMemory(shim.process.pid!);
  const first = await send('hold', RUNNING);
  await expect.poll(() => held.length, { timeout: 30_000 }).toBe(RUNNING);
  const crowd = await send('go', QUEUED + TOO_MANY);
  const refused = await crowd.answered(TOO_MANY);
  const grown = privateMemory(shim.process.pid!) - before;

  // All callers are connected, and no execution has started.
  expect(refused).toHaveLength(TOO_MANY);
  for (const { status, headers, body } of refused) {
    expect([status, JSON.parse(body).message]).toEqual([503, expect.stringContaining('too many calls')]);
    expect(headers).toMatch(/^retry-after: 1$/im);
  }
  expect(grown / QUEUED).toBeLessThan(A_CALLER);

  for (const response of held) response.setHeader('content-type', 'application/json').end('{"ok":1}');
  expect(new Set((await first.answered(RUNNING)).map(({ status }) => status))).toEqual(new Set([200]));
  const answers = await crowd.answered(QUEUED + TOO_MANY);
  const served = answers.filter(({ status }) => status === 200);
  expect(served).toHaveLength(QUEUED);
  expect(served.filter(isNotOwn)).toEqual([]);
  expect(await succeeded()).toBe(RUNNING + QUEUED);
}, 400_000);

/** Each caller gets its own data. */
const isNotOwn = ({ index, body }: CrowdAnswer) => JSON.parse(body).n !== String(index);
