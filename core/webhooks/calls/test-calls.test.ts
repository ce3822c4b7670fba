/** Test addresses: each "Listen for test event" admits one call. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Workflow } from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { TestEvent } from '../registrations/test-listeners.ts';

let server: TestWebhooks;
let events: TestEvent[];
afterEach(() => server.close());

async function start(options: Parameters<typeof openWebhookServer>[0] = {}) {
  server = await openWebhookServer(options);
  events = [];
  server.listening.subscribe((event) => events.push(event));
  return server;
}

const HINT = /^Click the 'Execute workflow' button on the canvas/;
const modeWorkflow = (parameters: Record<string, unknown> = {}, more: Partial<Workflow> = {}) =>
  workflowOf(
    {
      Webhook: webhookNode('try', parameters),
      Say: setFields({ mode: '={{ $json.executionMode }}' }, false),
    },
    ['Webhook -> Say'],
    more,
  );

describe('a test address', () => {
  it('answers one call in test mode, and is then not registered', async () => {
    const { listening, exchange, engine } = await start();
    const notRegistered = [404, { code: 404, message: 'The requested webhook "try" is not registered.' }];
    expect(await exchange('POST', '/webhook-test/try')).toMatchObject(notRegistered);
    const workflow = await engine.workflows.put(modeWorkflow());
    expect(await listening.listen(workflow)).toMatchObject([
      { node: 'Webhook', methods: ['POST'], path: '/webhook-test/try' },
    ]);
    expect((await exchange('POST', '/webhook/try'))[0]).toBe(404);
    expect(await exchange('POST', '/webhook-test/try')).toEqual([200, { mode: 'test' }]);
    const [status, body] = await exchange('POST', '/webhook-test/try');
    expect([status, body]).toMatchObject([404, { hint: expect.stringMatching(HINT) }]);
    const [run] = await engine.executions.list();
    expect(run).toMatchObject({ mode: 'manual', test: true, status: 'success' });
    expect(events).toEqual([{ type: 'received', workflowId: 'w1', executionId: run!.id }]);
    const { detail } = (await engine.executions.get(run!.id))!;
    const item = detail!.data.resultData.runData.Webhook![0]!.data!.main![0]![0]!;
    expect(item.json.webhookUrl).toBe('http://localhost:5678/webhook-test/try');
  });

  it('admits one of several simultaneous calls, the others get 404', async () => {
    const { listening, exchange, engine } = await start();
    await listening.listen(modeWorkflow());
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchange('POST', '/webhook-test/try', { json: { a: 1 } })),
    );
    expect(answers.map(([status]) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect(await engine.executions.list()).toHaveLength(1);
  });

  it('is not used up by rejected calls', async () => {
    const { listening, exchange } = await start();
    await listening.listen(modeWorkflow({ options: { ipWhitelist: '10.0.0.1' } }));
    expect(await exchange('GET', '/webhook-test/try')).toEqual([
      404,
      {
        code: 404,
        message: 'This webhook is not registered for GET requests. Did you mean to make a POST request?',
      },
    ]);
    expect((await exchange('POST', '/webhook-test/try'))[0]).toBe(403);
    const broken = { headers: { 'content-type': 'application/json' }, body: '{', from: '10.0.0.1' };
    expect((await exchange('POST', '/webhook-test/try', broken))[0]).toBe(422);
    expect(
      (await exchange('OPTIONS', '/webhook-test/try', { headers: { origin: 'https://a.test' } }))[0],
    ).toBe(204);
    expect((await exchange('POST', '/webhook-test/try', { from: '10.0.0.1' }))[0]).toBe(200);
  });

  it('works next to the published address', async () => {
    const { publish, listening, exchange } = await start();
    const workflow = await publish(modeWorkflow());
    await listening.listen(workflow);
    expect(await exchange('POST', '/webhook/try')).toEqual([200, { mode: 'production' }]);
    expect(await exchange('POST', '/webhook-test/try')).toEqual([200, { mode: 'test' }]);
    expect((await exchange('POST', '/webhook-test/try'))[0]).toBe(404);
    expect((await exchange('POST', '/webhook/try'))[0]).toBe(200);
  });

  it('ends after two minutes, or when it is stopped', async () => {
    const clock = new TestClock();
    const { listening, exchange } = await start({ clock });
    await listening.listen(modeWorkflow());
    await clock.advance(119_000);
    expect(events).toEqual([]);
    await clock.advance(1000);
    expect(events).toEqual([{ type: 'ended', workflowId: 'w1' }]);
    expect((await exchange('POST', '/webhook-test/try'))[0]).toBe(404);
    await listening.listen(modeWorkflow());
    expect([listening.stop('w1'), listening.stop('w1')]).toEqual([true, false]);
    expect((await exchange('POST', '/webhook-test/try'))[0]).toBe(404);
    expect(events).toHaveLength(2);
  });

  it('listens for two more minutes, with the new version, after a second request', async () => {
    const clock = new TestClock();
    const { listening, exchange } = await start({ clock });
    await listening.listen(modeWorkflow());
    await clock.advance(100_000);
    await listening.listen(modeWorkflow({ path: 'new' }));
    await clock.advance(100_000);
    expect((await exchange('POST', '/webhook-test/try'))[0]).toBe(404);
    expect((await exchange('POST', '/webhook-test/new'))[0]).toBe(200);
    expect(events.map(({ type }) => type)).toEqual(['received']);
  });

  it('runs only the nodes that lead to the chosen node', async () => {
    const { listening, exchange, engine } = await start();
    const workflow = modeWorkflow({ responseMode: 'onReceived' });
    await listening.listen(workflow, { node: 'Webhook', destination: 'Webhook' });
    expect(await exchange('POST', '/webhook-test/try')).toEqual([200, { message: 'Workflow was started' }]);
    await engine.executions.settle(AbortSignal.timeout(5000));
    const [run] = await engine.executions.list();
    const { detail } = (await engine.executions.get(run!.id))!;
    expect(Object.keys(detail!.data.resultData.runData)).toEqual(['Webhook']);
  });

  it('takes path variables, with and without the id of the node', async () => {
    const { listening, exchange } = await start();
    const workflow = workflowOf(
      {
        Webhook: { ...webhookNode('o/:id'), webhookId: 'wid' },
        Say: setFields({ id: '={{ $json.params.id }}' }, false),
      },
      ['Webhook -> Say'],
    );
    for (const path of ['wid/o/7%208', 'o/7%208/']) {
      await listening.listen(workflow);
      expect(await exchange('POST', `/webhook-test/${path}`)).toEqual([200, { id: '7 8' }]);
    }
  });

  it.each([
    [workflowOf({ Say: setFields({}) }, []), {}, 'The workflow has no enabled Webhook node to listen with'],
    [modeWorkflow(), { node: 'Say' }, 'The workflow has no enabled Webhook node called "Say"'],
  ])('is refused for a workflow without a Webhook node', async (workflow, options, message) => {
    const { listening } = await start();
    await expect(listening.listen(workflow, options)).rejects.toMatchObject({ status: 400, message });
  });
});
