/** Runs that wait: for a time, and for a call of their own address. */
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let open: TestWebhooks | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const start = async (options: Parameters<typeof openWebhookServer>[0] = {}) => {
  open = await openWebhookServer(options);
  return open;
};

/** Answers with its resume address, waits as told, then notes what came. */
const waiting = (parameters: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  workflowOf(
    {
      Webhook: webhookNode('start', { responseMode: 'responseNode' }),
      Tell: {
        type: 'respondToWebhook',
        typeVersion: 1.5,
        parameters: { respondWith: 'text', responseBody: '={{ $execution.resumeUrl }}' },
      },
      Wait: { type: 'wait', typeVersion: 1.1, parameters, ...more },
      End: setFields({ got: '={{ $json.body }}', keys: '={{ Object.keys($json).join() }}' }, false),
    },
    ['Webhook -> Tell', 'Tell -> Wait', 'Wait -> End'],
  );

const BY_CALL = { resume: 'webhook', httpMethod: 'POST', responseMode: 'lastNode' };

/** Path and query of the address that a new run waits at. */
async function begin({ call }: TestWebhooks): Promise<string> {
  const response = await call('POST', '/webhook/start', { json: { a: 1 } });
  const { pathname, search } = new URL(await response.text());
  return pathname + search;
}

/** What the last node of the newest run gave. */
async function result({ engine }: TestWebhooks) {
  const [run] = await engine.executions.list();
  const { detail } = (await engine.executions.get(run!.id))!;
  const { runData } = detail!.data.resultData;
  return { status: run!.status, end: runData.End?.[0]?.data?.main[0]?.[0]?.json };
}

const settled = (server: TestWebhooks) => server.engine.executions.settle(AbortSignal.timeout(5000));

describe('a run that waits for a call', () => {
  it('goes on with what the call brings, and answers it', async () => {
    const server = await start();
    await server.publish(waiting(BY_CALL));
    const address = await begin(server);
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    const [path] = address.split('?') as [string];
    const id = path.split('/')[2];
    const { told } = server;
    expect(await told('POST', path, { json: { r: 1 } })).toEqual([401, { error: 'Invalid token' }]);
    expect(await told('POST', `${path}?signature=${'0'.repeat(64)}`)).toEqual([
      401,
      { error: 'Invalid token' },
    ]);
    expect(await told('GET', address)).toEqual([
      404,
      {
        code: 404,
        message: `The workflow for execution "${id}" does not contain a waiting webhook with a matching path/method.`,
      },
    ]);
    expect(await told('POST', `${address}&x=1`, { json: { r: 1 } })).toEqual([
      200,
      { got: '{"r":1}', keys: 'headers,params,query,body,webhookUrl,executionMode' },
    ]);
    expect(await result(server)).toMatchObject({ status: 'success' });
    expect(await told('POST', address)).toEqual([
      409,
      { code: 409, message: `The execution "${id} has finished already.` },
    ]);
    const { detail } = (await server.engine.executions.get(id!))!;
    const item = detail!.data.resultData.runData.Wait![0]!.data!.main[0]![0]!.json;
    expect(item).toMatchObject({ query: { x: '1' }, webhookUrl: `http://localhost:5678${path}` });
  });

  it.each([
    ['/webhook-waiting/12345', 404, { code: 404, message: 'The execution "12345" does not exist.' }],
    ['/webhook-waiting/', 404, { code: 404, message: 'The execution "" does not exist.' }],
    ['/webhook-waiting/x/y?signature=1', 404, { code: 404, message: 'The execution "x" does not exist.' }],
  ])('%s: %i', async (path, status, body) => {
    expect(await (await start()).told('GET', path)).toEqual([status, body]);
  });

  it('is answered from pages of any site', async () => {
    const server = await start();
    await server.publish(waiting({ ...BY_CALL, httpMethod: 'PUT' }));
    const address = await begin(server);
    await settled(server);
    const asked = await server.call('OPTIONS', address, {
      headers: {
        origin: 'https://a.test',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-y',
      },
    });
    expect([
      asked.status,
      ...['origin', 'methods', 'headers'].map((name) => asked.headers.get(`access-control-allow-${name}`)),
    ]).toEqual([204, '*', 'POST, GET, OPTIONS, PUT', 'x-y']);
    const response = await server.call('PUT', address, { headers: { origin: 'https://a.test' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });

  it('lets one of two calls at once go on', async () => {
    const server = await start();
    await server.publish(waiting(BY_CALL));
    const address = await begin(server);
    await settled(server);
    const answers = await Promise.all([1, 2, 3].map((n) => server.told('POST', address, { json: { n } })));
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409, 409]);
  });

  it('has its own suffix and its own guard', async () => {
    const server = await start();
    await server.publish(
      waiting({ ...BY_CALL, options: { webhookSuffix: '=step-{{ 1 + 1 }}', ipWhitelist: '10.0.0.1' } }),
    );
    const address = await begin(server);
    await settled(server);
    const suffixed = address.replace('?', '/step-2?');
    expect((await server.told('POST', address))[0]).toBe(404);
    expect((await server.told('POST', suffixed))[0]).toBe(403);
    expect((await server.told('POST', suffixed, { from: '10.0.0.1' }))[0]).toBe(200);
  });

  it('answers at once where it is set to, and goes on behind', async () => {
    const server = await start();
    await server.publish(waiting({ resume: 'webhook' }));
    const address = await begin(server);
    await settled(server);
    expect(await server.told('GET', address)).toEqual([200, { message: 'Workflow was started' }]);
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{}' } });
  });

  it('keeps files that the call brings for as long as the run is kept', async () => {
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
    expect(await server.told('POST', address, { headers, body: file })).toEqual([200, file]);
    const uses = server.host.records.collection<{ executionId: string }>('executionFiles');
    const [run] = await server.engine.executions.list();
    expect((await uses.list()).map(({ doc }) => doc.executionId)).toEqual([run!.id]);
    await server.engine.executions.delete(run!.id);
    expect(await uses.list()).toEqual([]);
  });

  it('goes on without a call when its time is over, or is not', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(
      waiting({ ...BY_CALL, limitWaitTime: true, resumeAmount: 10, resumeUnit: 'minutes' }),
    );
    const address = await begin(server);
    await clock.advance(9 * 60_000);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    await clock.advance(60_000);
    await settled(server);
    // What came before the wait goes on.
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{"a":1}' } });
    expect((await server.told('POST', address))[0]).toBe(409);
  });

  it('waits on after a restart, and after it was closed', async () => {
    const first = await start();
    await first.publish(waiting(BY_CALL));
    const address = await begin(first);
    await settled(first);
    await first.close();
    const second = await start({ records: first.host.records });
    expect(await second.told('POST', address, { json: { r: 2 } })).toMatchObject([200, { got: '{"r":2}' }]);
  });

  it('waits again in a loop, each time for a call of its own', async () => {
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
      expect((await server.told('POST', address, { json: { done } }))[0]).toBe(200);
    }
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{"done":true}' } });
    expect((await server.told('POST', address, { json: {} }))[0]).toBe(409);
  });
});

describe('a run that waits for a time', () => {
  const timed = (parameters: Record<string, unknown>, typeVersion = 1.1) =>
    workflowOf(
      {
        Webhook: webhookNode('start'),
        Wait: { type: 'wait', typeVersion, parameters },
        End: setFields({ got: '={{ $json.body }}' }, false),
      },
      ['Webhook -> Wait', 'Wait -> End'],
    );

  it('keeps its caller waiting while it is short', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(timed({ amount: 30 }));
    const answer = server.told('POST', '/webhook/start', { json: { a: 1 } });
    await clock.advance(29_000);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    await clock.advance(1000);
    expect(await answer).toEqual([200, { got: '{"a":1}' }]);
  });

  it('answers with what there is when it is long, and goes on later', async () => {
    const clock = new TestClock();
    const server = await start({ clock });
    await server.publish(timed({ amount: 2, unit: 'hours' }));
    expect(await server.told('POST', '/webhook/start', { json: { a: 1 } })).toMatchObject([
      200,
      { body: { a: 1 }, executionMode: 'production' },
    ]);
    await clock.advance(2 * 3_600_000 - 1000);
    expect(await result(server)).toMatchObject({ status: 'waiting' });
    await clock.advance(1000);
    await settled(server);
    expect(await result(server)).toMatchObject({ status: 'success', end: { got: '{"a":1}' } });
  });

  it('goes on after a restart, at once when the time has passed meanwhile', async () => {
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

  it('does not go on where nothing shall happen by itself', async () => {
    const clock = new TestClock();
    const first = await start({ clock });
    await first.publish(timed({ amount: 1, unit: 'days' }));
    await first.call('POST', '/webhook/start');
    await first.close();
    await clock.advance(2 * 86_400_000);
    const looking = await start({ clock, records: first.host.records, started: false });
    await clock.advance(60_000);
    expect(await result(looking)).toMatchObject({ status: 'waiting' });
  });

  it.each([
    [{ resume: 'specificTime', dateTime: '2026-01-02T05:04:05Z' }, 2 * 3_600_000 - 678],
    // Without a zone: of the workflow, here five hours behind.
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
    expect(await server.told('POST', '/webhook/start')).toEqual([500, { message: 'Error in workflow' }]);
    const [run] = await server.engine.executions.list();
    expect(run!.error!.message).toBe(message);
  });

  it('can be ended from outside, and its caller is told', async () => {
    const server = await start();
    await server.publish(timed({ amount: 60 }));
    const answer = server.told('POST', '/webhook/start');
    await expect.poll(async () => (await result(server)).status).toBe('waiting');
    const [run] = await server.engine.executions.list();
    expect(await server.engine.executions.cancel(run!.id)).toBe(true);
    expect(await answer).toEqual([500, { message: 'Error in workflow' }]);
    expect(await result(server)).toMatchObject({ status: 'canceled' });
  });
});

it('forms are refused when the workflow is published', async () => {
  const server = await start();
  await expect(server.publish(waiting({ resume: 'form' }))).rejects.toThrow('This server has no forms');
});

it('a wait in a branch does not lose the other branch', async () => {
  const clock = new TestClock();
  const server = await start({ clock });
  await server.publish(
    workflowOf(
      {
        Webhook: webhookNode('start', { responseMode: 'onReceived' }),
        Wait: { type: 'wait', typeVersion: 1.1, parameters: { amount: 1, unit: 'hours' } },
        Other: { ...codeNode('return { other: 1 }'), position: [100, 300] },
        End: setFields({ got: 'waited' }, false),
      },
      ['Webhook -> Wait', 'Webhook -> Other', 'Wait -> End'],
    ),
  );
  await server.call('POST', '/webhook/start');
  await clock.advance(3_600_000);
  await settled(server);
  const [run] = await server.engine.executions.list();
  const { detail } = (await server.engine.executions.get(run!.id))!;
  expect(Object.keys(detail!.data.resultData.runData).sort()).toEqual(['End', 'Other', 'Wait', 'Webhook']);
});
