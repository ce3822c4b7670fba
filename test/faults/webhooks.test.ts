/** The shim is killed while workflows run. Accepted calls are run or marked, and workflows stay published. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { webhookNode } from '../support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '../support/webhooks/workflow-builder.ts';
import { type WorkflowControl, workflowControl } from '../support/webhooks/workflow-control.ts';

interface Run {
  id: string;
  status: string;
  mode: string;
  retryOf?: string | null;
}

let home: string;
let shim: RunningShim;
let control: WorkflowControl;
let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  site = await startSite();
  home = await makeHome([]);
  await start();
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
  site?.close();
});

async function start(): Promise<void> {
  shim = await startShim(home, { env: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' } });
  control = await workflowControl(home);
}

async function kill(): Promise<void> {
  const gone = new Promise((resolve) => shim.process.once('exit', resolve));
  shim.process.kill('SIGKILL');
  await gone;
}

const call = (path: string, body: object = {}) =>
  fetch(`http://127.0.0.1:${shim.ports.webhooks}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
/** Answers odd numbers at once and holds the others back. */
async function startSite() {
  let holds = true;
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const answer = () => response.setHeader('content-type', 'application/json').end('{}');
    if (!holds || Number(request.url!.slice(1)) % 2 === 1) return void answer();
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => waiting.size,
    hold() {
      holds = true;
    },
    release() {
      holds = false;
      for (const response of waiting) response.setHeader('content-type', 'application/json').end('{}');
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const withStatus = async (status: string): Promise<Run[]> =>
  (await control.json('GET', `/executions?status=${status}`)).data;

async function allRuns(): Promise<Map<string, Run>> {
  const runs = new Map<string, Run>();
  let cursor = '';
  do {
    const page = await control.json('GET', `/executions?limit=250${cursor && `&cursor=${cursor}`}`);
    for (const run of page.data as Run[]) runs.set(run.id, run);
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  return runs;
}

const ID = { responseMode: 'onReceived', options: { responseData: '={{ $execution.id }}' } };

/** A node that calls this test. The test answers when it chooses, and records the calls. */
const asking = () =>
  sentWorkflow(
    workflowOf(
      {
        Webhook: webhookNode('work', ID),
        Ask: {
          type: 'httpRequest',
          typeVersion: 4.2,
          parameters: { url: `=${site.address}/{{ $json.body.n }}` },
        },
        End: setFields({ end: "={{ $('Webhook').item.json.body.n }}" }, false),
      },
      ['Webhook -> Ask', 'Ask -> End'],
      { name: 'Work' },
    ),
  );

test('no accepted call is lost when the process is killed in the middle', async () => {
  await control.publish(asking());
  const accepted = new Map<string, number>();
  let n = 0;
  let killed = false;
  const callers = Array.from({ length: 4 }, async () => {
    while (!killed) {
      const mine = n++;
      try {
        const response = await call('work', { n: mine });
        const id = await response.text();
        if (response.status === 200) accepted.set(id, mine);
      } catch {
        // This caller got no confirmation.
      }
      await sleep(10);
    }
  });
  await expect.poll(() => accepted.size, { timeout: 20_000 }).toBeGreaterThan(30);
  await expect.poll(async () => (await withStatus('success')).length, { timeout: 20_000 }).toBeGreaterThan(0);
  await kill();
  killed = true;
  await Promise.all(callers);

  await start();
  // The server answers while it checks the executions of the previous process.
  await expect.poll(async () => (await withStatus('running')).length, { timeout: 20_000 }).toBe(0);
  const runs = await allRuns();
  const statuses = new Set<string>();
  for (const [id, number] of accepted) {
    const run = runs.get(id);
    expect(run, `the run ${id} of call ${number} is forgotten`).toBeDefined();
    statuses.add(run!.status);
  }
  expect([...statuses].sort()).toEqual(['crashed', 'success']);

  // An interrupted execution can be retried, with the data of its call.
  const [cut, number] = [...accepted].find(([id]) => runs.get(id)!.status === 'crashed')!;
  site.release();
  const again = await control.json('POST', `/executions/${cut}/retry`);
  await expect
    .poll(async () => (await control.json('GET', `/executions/${again.id}`)).status, { timeout: 20_000 })
    .toBe('success');
  const { data } = await control.json('GET', `/executions/${again.id}?includeData=true`);
  expect(data.resultData.runData.End[0].data.main[0][0].json).toEqual({ end: String(number) });
});

test('published workflows answer, and waiting executions continue', async () => {
  await control.publish(
    sentWorkflow(
      workflowOf(
        {
          Webhook: webhookNode('later', {
            responseMode: 'onReceived',
            options: { responseData: '={{ $execution.resumeUrl }}' },
          }),
          Wait: {
            type: 'wait',
            typeVersion: 1.1,
            parameters: { resume: 'webhook', httpMethod: 'POST', responseMode: 'lastNode' },
          },
          End: setFields({ got: '={{ $json.body.r }}' }, false),
        },
        ['Webhook -> Wait', 'Wait -> End'],
        { name: 'Later' },
      ),
    ),
  );
  const address = new URL(await (await call('later')).text());
  expect(address.port).toBe(String(shim.ports.webhooks));
  await expect.poll(async () => (await withStatus('waiting')).length, { timeout: 20_000 }).toBe(1);
  await kill();
  await start();
  expect((await call('later')).status).toBe(200);
  const response = await fetch(
    `http://127.0.0.1:${shim.ports.webhooks}${address.pathname}${address.search}`,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"r":7}' },
  );
  expect([response.status, await response.json()]).toEqual([200, { got: '7' }]);
});

test('a server that is asked to end completes its executions first', async () => {
  site.hold();
  const id = await (await call('work', { n: 0 })).text();
  await expect.poll(() => site.held(), { timeout: 20_000 }).toBeGreaterThan(0);
  const stopped = shim.stop();
  await sleep(300);
  site.release();
  await stopped;
  await start();
  expect((await allRuns()).get(id)!.status).toBe('success');
});
