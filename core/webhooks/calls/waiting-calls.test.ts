/** Executions that wait for a time or for a call to their address. */
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let open: TestWebhooks | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const start = async (options: Parameters<typeof openWebhookServer>[0] = {}) => {
  open = await openWebhookServer(options);
  return open;
};

/** Responds with its resume address, waits as `parameters` say, then reports the item that resumed it. */
const waitingWorkflow = (parameters: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  workflowOf(
    {
      Webhook: webhookNode('start', { responseMode: 'responseNode' }),
      Respond: {
        type: 'respondToWebhook',
        typeVersion: 1.5,
        parameters: { respondWith: 'text', responseBody: '={{ $execution.resumeUrl }}' },
      },
      Wait: { type: 'wait', typeVersion: 1.1, parameters, ...more },
      End: setFields({ got: '={{ $json.body }}', keys: '={{ Object.keys($json).join() }}' }, false),
    },
    ['Webhook -> Respond', 'Respond -> Wait', 'Wait -> End'],
  );

const BY_CALL = { resume: 'webhook', httpMethod: 'POST', responseMode: 'lastNode' };

/** Starts an execution. Returns path and query of the address at which it waits. */
async function begin({ call }: TestWebhooks): Promise<string> {
  const response = await call('POST', '/webhook/start', { json: { a: 1 } });
  const { pathname, search } = new URL(await response.text());
  return pathname + search;
}

/** The status of the newest execution, and the item of its last node. */
async function result({ engine }: TestWebhooks) {
  const [run] = await engine.executions.list();
  const { detail } = (await engine.executions.get(run!.id))!;
  const { runData } = detail!.data.resultData;
  return { status: run!.status, end: runData.End?.[0]?.data?.main?.[0]?.[0]?.json };
}

const settled = (server: TestWebhooks) => server.engine.executions.settle(AbortSignal.timeout(5000));

describe('an execution that waits for a call', () => {
  it('resumes with the item of the call, and responds to it', async () => {
    const server = await start();
    await server.publish(waitingWorkflow(BY_CALL));
    const address = await begin(server);
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    const [path] = address.split('?') as [string];
    const id = path.split('/')[2];
    const { exchange } = server;
    expect(await exchange('POST', path, { json: { r: 1 } })).toEqual([401, { error: 'Invalid token' }]);
    expect(await exchange('POST', `${path}?signature=${'0'.repeat(64)}`)).toEqual([
      401,
      { error: 'Invalid token' },
    ]);
    expect(await exchange('GET', address)).toEqual([
      404,
      {
        code: 404,
        message: `The workflow for execution "${id}" does not contain a waiting webhook with a matching path/method.`,
      },
    ]);
    expect(await exchange('POST', `${address}&x=1`, { json: { r: 1 } })).toEqual([
      200,
      { got: '{"r":1}', keys: 'headers,params,query,body,webhookUrl,executionMode' },
    ]);
    expect(await result(server)).toMatchObject({ status: 'success' });
    expect(await exchange('POST', address)).toEqual([
      409,
      { code: 409, message: `The execution "${id} has finished already.` },
    ]);
    const { detail } = (await server.engine.executions.get(id!))!;
    const item = detail!.data.resultData.runData.Wait![0]!.data!.main![0]![0]!.json;
    expect(item).toMatchObject({ query: { x: '1' }, webhookUrl: `http://localhost:5678${path}` });
  });

  it.each([
    ['/webhook-waiting/12345', 404, { code: 404, message: 'The execution "12345" does not exist.' }],
    ['/webhook-waiting/', 404, { code: 404, message: 'The execution "" does not exist.' }],
    ['/webhook-waiting/x/y?signature=1', 404, { code: 404, message: 'The execution "x" does not exist.' }],
  ])('%s: %i', async (path, status, body) => {
    expect(await (await start()).exchange('GET', path)).toEqual([status, body]);
  });

  it('may be called by pages of any site', async () => {
    const server = await start();
    await server.publish(waitingWorkflow({ ...BY_CALL, httpMethod: 'PUT' }));
    const address = await begin(server);
    await settled(server);
    const preflight = await server.call('OPTIONS', address, {
      headers: {
        origin: 'https://a.test',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-y',
      },
    });
    expect([
      preflight.status,
      ...['origin', 'methods', 'headers'].map((name) =>
        preflight.headers.get(`access-control-allow-${name}`),
      ),
    ]).toEqual([204, '*', 'POST, GET, OPTIONS, PUT', 'x-y']);
    const response = await server.call('PUT', address, { headers: { origin: 'https://a.test' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });

  it('is resumed by one of several simultaneous calls', async () => {
    const server = await start();
    await server.publish(waitingWorkflow(BY_CALL));
    const address = await begin(server);
    await settled(server);
    const answers = await Promise.all(
      [1, 2, 3].map((n) => server.exchange('POST', address, { json: { n } })),
    );
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409, 409]);
  });

  it('has its own suffix and its own list of client addresses', async () => {
    const server = await start();
    await server.publish(
      waitingWorkflow({
        ...BY_CALL,
        options: { webhookSuffix: '=step-{{ 1 + 1 }}', ipWhitelist: '10.0.0.1' },
      }),
    );
    const address = await begin(server);
    await settled(server);
    const suffixed = address.replace('?', '/step-2?');
    expect((await server.exchange('POST', address))[0]).toBe(404);
    expect((await server.exchange('POST', suffixed))[0]).toBe(403);
    expect((await server.exchange('POST', suffixed, { from: '10.0.0.1' }))[0]).toBe(200);
  });

  it('may respond immediately and then continue', async () => {
    const server = await start();
    await server.publish(waitingWorkflow({ resume: 'webhook' }));
    const address = await begin(server);
    await settled(server);
    expect(await server.exchange('GET', address)).toEqual([200, { message: 'Workflow was started' }]);
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{}' } });
  });

  it('keeps the files of the call until the execution is deleted', async () => {
    const server = await start();
    await server.publish(
      workflowOf(
        {
          Webhook: webhookNode('start', {
            responseMode: 'onReceived',
            options: { responseData: '={{ $execution.resumeUrl }}' },
          }),
          Wait: {
            type: 'wait',
            typeVersion: 1.1,
            parameters: { ...BY_CALL, responseData: 'firstEntryBinary' },
          },
        },
        ['Webhook -> Wait'],
      ),
    );
    const address = await begin(server);
    await settled(server);
    const file = 'x'.repeat(200_000);
    const headers = { 'content-type': 'application/octet-stream' };
    expect(await server.exchange('POST', address, { headers, body: file })).toEqual([200, file]);
    const uses = server.host.records.collection<{ executionId: string }>('executionFiles');
    const [run] = await server.engine.executions.list();
    expect((await uses.list()).map(({ doc }) => doc.executionId)).toEqual([run!.id]);
    await server.engine.executions.delete(run!.id);
    expect(await uses.list()).toEqual([]);
  });

  it('resumes without a call when its time limit passes, and not before', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(
      waitingWorkflow({ ...BY_CALL, limitWaitTime: true, resumeAmount: 10, resumeUnit: 'minutes' }),
    );
    const address = await begin(server);
    await clock.advance(9 * 60_000);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    await clock.advance(60_000);
    await settled(server);
    // The items from before the wait continue.
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{"a":1}' } });
    expect((await server.exchange('POST', address))[0]).toBe(409);
  });

  it('still waits after a restart', async () => {
    const first = await start();
    await first.publish(waitingWorkflow(BY_CALL));
    const address = await begin(first);
    await settled(first);
    await first.close();
    const second = await start({ records: first.host.records });
    expect(await second.exchange('POST', address, { json: { r: 2 } })).toMatchObject([
      200,
      { got: '{"r":2}' },
    ]);
  });

  it('waits again in a loop, each time for another call', async () => {
    const server = await start();
    await server.publish(
      workflowOf(
        {
          Webhook: webhookNode('start', {
            responseMode: 'onReceived',
            options: { responseData: '={{ $execution.resumeUrl }}' },
          }),
          Wait: { type: 'wait', typeVersion: 1.1, parameters: { ...BY_CALL, responseMode: 'onReceived' } },
          Again: {
            type: 'if',
            typeVersion: 2.2,
            parameters: {
              conditions: {
                options: { typeValidation: 'loose' },
                combinator: 'and',
                conditions: [
                  {
                    leftValue: '={{ $json.body.done }}',
                    operator: { type: 'boolean', operation: 'true', singleValue: true },
                  },
                ],
              },
            },
          },
          End: setFields({ got: '={{ $json.body }}' }, false),
        },
        ['Webhook -> Wait', 'Wait -> Again', 'Again:0 -> End', 'Again:1 -> Wait'],
      ),
    );
    const address = await begin(server);
    for (const done of [false, false, true]) {
      await settled(server);
      expect((await server.exchange('POST', address, { json: { done } }))[0]).toBe(200);
    }
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{"done":true}' } });
    expect((await server.exchange('POST', address, { json: {} }))[0]).toBe(409);
  });
});

describe('an execution that waits for a time', () => {
  const timed = (parameters: Record<string, unknown>, typeVersion = 1.1) =>
    workflowOf(
      {
        Webhook: webhookNode('start'),
        Wait: { type: 'wait', typeVersion, parameters },
        End: setFields({ got: '={{ $json.body }}' }, false),
      },
      ['Webhook -> Wait', 'Wait -> End'],
    );

  it('responds at its end if the time is short', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(timed({ amount: 30 }));
    const answer = server.exchange('POST', '/webhook/start', { json: { a: 1 } });
    await clock.advance(29_000);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    await clock.advance(1000);
    expect(await answer).toEqual([200, { got: '{"a":1}' }]);
  });

  it('responds at once with the items so far if the time is long', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(timed({ amount: 2, unit: 'hours' }));
    expect(await server.exchange('POST', '/webhook/start', { json: { a: 1 } })).toMatchObject([
      200,
      { body: { a: 1 }, executionMode: 'production' },
    ]);
    await clock.advance(2 * 3_600_000 - 1000);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    await clock.advance(1000);
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{"a":1}' } });
  });

  it('resumes at once after a restart if the time has passed', async () => {
    const clock = new TestClock();
    const first = await start({ clock });
    await first.publish(timed({ amount: 1, unit: 'days' }));
    await first.call('POST', '/webhook/start');
    await first.close();
    await clock.advance(3 * 86_400_000);
    const second = await start({ clock, records: first.host.records });
    await clock.advance(0);
    await settled(second);
    expect(await result(second)).toMatchObject({ status: 'success' });
  });

  it('does not resume in a server without background work', async () => {
    const clock = new TestClock();
    const first = await start({ clock });
    await first.publish(timed({ amount: 1, unit: 'days' }));
    await first.call('POST', '/webhook/start');
    await first.close();
    await clock.advance(2 * 86_400_000);
    const idle = await start({ clock, records: first.host.records, started: false });
    await clock.advance(60_000);
    expect(await result(idle)).toMatchObject({ status: 'waiting' });
  });

  it.each([
    [{ resume: 'specificTime', dateTime: '2026-01-02T05:04:05Z' }, 2 * 3_600_000 - 678],
    // Without a zone it is the workflow's: here five hours behind UTC.
    [{ resume: 'specificTime', dateTime: '2026-01-02 00:04:05' }, 2 * 3_600_000 - 678],
    [{ resume: 'specificTime', dateTime: '2020-01-01T00:00:00Z' }, 0],
    [{ amount: 3, unit: 'minutes' }, 180_000],
    [{}, 5000],
    [{ amount: 0 }, 0],
    [{ amount: '={{ $json.body.a * 2 }}' }, 2000],
  ])('%j lasts %i ms', async (parameters, lasts) => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(timed(parameters));
    void server.call('POST', '/webhook/start', { json: { a: 1 } });
    await clock.advance(0);
    if (lasts > 0) {
      await clock.advance(lasts - 1);
      expect(await result(server)).toMatchObject({ status: 'waiting' });
      await clock.advance(1);
    }
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success' });
  });

  it('version 1 counts hours', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(timed({}, 1));
    await server.call('POST', '/webhook/start');
    const [run] = await server.engine.executions.list();
    expect(run!.waitTill! - run!.startedAt).toBeCloseTo(3_600_000, -1);
  });

  it.each([
    [{ amount: -1 }, 'The time to wait must be a number of at least 0, not -1'],
    [{ amount: '={{ "soon" }}' }, 'The time to wait must be a number of at least 0, not "soon"'],
    [{ unit: 'weeks' }, 'The unit of time "weeks" is not known'],
    [{ resume: 'specificTime', dateTime: 'never' }, 'The date to wait for is not a date: "never"'],
  ])('%j fails: %s', async (parameters, message) => {
    const server = await start();
    await server.publish(timed(parameters));
    expect(await server.exchange('POST', '/webhook/start')).toEqual([500, { message: 'Error in workflow' }]);
    const [run] = await server.engine.executions.list();
    expect(run!.error!.message).toBe(message);
  });

  it('can be cancelled, and its client gets an error', async () => {
    const server = await start();
    await server.publish(timed({ amount: 60 }));
    const answer = server.exchange('POST', '/webhook/start');
    await expect.poll(async () => (await result(server)).status).toBe('waiting');
    const [run] = await server.engine.executions.list();
    expect(await server.engine.executions.cancel(run!.id)).toBe(true);
    expect(await answer).toEqual([500, { message: 'Error in workflow' }]);
    expect(await result(server)).toMatchObject({ status: 'canceled' });
  });
});
