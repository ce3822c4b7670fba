/** Test addresses: one call after "Listen for test event", and never another. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Workflow } from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { TestEvent } from '../registrations/test-listeners.ts';

let open: TestWebhooks;
let heard: TestEvent[];
afterEach(() => open.close());

async function start(options: Parameters<typeof openWebhookServer>[0] = {}) {
  open = await openWebhookServer(options);
  heard = [];
  open.listening.subscribe((event) => heard.push(event));
  return open;
}

const HINT = /^Click the 'Execute workflow' button on the canvas/;
const telling = (parameters: Record<string, unknown> = {}, more: Partial<Workflow> = {}) =>
  workflowOf(
    {
      Webhook: webhookNode('try', parameters),
      Say: setFields({ mode: '={{ $json.executionMode }}' }, false),
    },
    ['Webhook -> Say'],
    more,
  );

describe('a test address', () => {
  it('answers one call, in test mode, and is gone', async () => {
    const { listening, told, engine } = await start();
    const unheard = [404, { code: 404, message: 'The requested webhook "try" is not registered.' }];
    expect(await told('POST', '/webhook-test/try')).toMatchObject(unheard);
    const workflow = await engine.workflows.put(telling());
    expect(await listening.listen(workflow)).toMatchObject([
      { node: 'Webhook', methods: ['POST'], path: '/webhook-test/try' },
    ]);
    expect((await told('POST', '/webhook/try'))[0]).toBe(404);
    expect(await told('POST', '/webhook-test/try')).toEqual([200, { mode: 'test' }]);
    const [status, body] = await told('POST', '/webhook-test/try');
    expect([status, body]).toMatchObject([404, { hint: expect.stringMatching(HINT) }]);
    const [run] = await engine.executions.list();
    expect(run).toMatchObject({ mode: 'manual', test: true, status: 'success' });
    expect(heard).toEqual([{ type: 'received', workflowId: 'w1', executionId: run!.id }]);
    const { detail } = (await engine.executions.get(run!.id))!;
    const item = detail!.data.resultData.runData.Webhook![0]!.data!.main[0]![0]!;
    expect(item.json.webhookUrl).toBe('http://localhost:5678/webhook-test/try');
  });

  it('gives one of two calls at once the run, the other 404', async () => {
    const { listening, told, engine } = await start();
    await listening.listen(telling());
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => told('POST', '/webhook-test/try', { json: { a: 1 } })),
    );
    expect(answers.map(([status]) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect(await engine.executions.list()).toHaveLength(1);
  });

  it('is not used up by what is refused', async () => {
    const { listening, told } = await start();
    await listening.listen(telling({ options: { ipWhitelist: '10.0.0.1' } }));
    expect(await told('GET', '/webhook-test/try')).toEqual([
      404,
      {
        code: 404,
        message: 'This webhook is not registered for GET requests. Did you mean to make a POST request?',
      },
    ]);
    expect((await told('POST', '/webhook-test/try'))[0]).toBe(403);
    const broken = { headers: { 'content-type': 'application/json' }, body: '{', from: '10.0.0.1' };
    expect((await told('POST', '/webhook-test/try', broken))[0]).toBe(422);
    expect((await told('OPTIONS', '/webhook-test/try', { headers: { origin: 'https://a.test' } }))[0]).toBe(
      204,
    );
    expect((await told('POST', '/webhook-test/try', { from: '10.0.0.1' }))[0]).toBe(200);
  });

  it('stands beside the published one', async () => {
    const { publish, listening, told } = await start();
    const workflow = await publish(telling());
    await listening.listen(workflow);
    expect(await told('POST', '/webhook/try')).toEqual([200, { mode: 'production' }]);
    expect(await told('POST', '/webhook-test/try')).toEqual([200, { mode: 'test' }]);
    expect((await told('POST', '/webhook-test/try'))[0]).toBe(404);
    expect((await told('POST', '/webhook/try'))[0]).toBe(200);
  });

  it('ends after two minutes, and when it is stopped', async () => {
    const clock = new TestClock();
    const { listening, told } = await start({ clock });
    await listening.listen(telling());
    await clock.advance(119_000);
    expect(heard).toEqual([]);
    await clock.advance(1000);
    expect(heard).toEqual([{ type: 'ended', workflowId: 'w1' }]);
    expect((await told('POST', '/webhook-test/try'))[0]).toBe(404);
    await listening.listen(telling());
    expect([listening.stop('w1'), listening.stop('w1')]).toEqual([true, false]);
    expect((await told('POST', '/webhook-test/try'))[0]).toBe(404);
    expect(heard).toHaveLength(2);
  });

  it('listens for as long again when it is asked again, in the version that is there now', async () => {
    const clock = new TestClock();
    const { listening, told } = await start({ clock });
    await listening.listen(telling());
    await clock.advance(100_000);
    await listening.listen(telling({ path: 'new' }));
    await clock.advance(100_000);
    expect((await told('POST', '/webhook-test/try'))[0]).toBe(404);
    expect((await told('POST', '/webhook-test/new'))[0]).toBe(200);
    expect(heard.map(({ type }) => type)).toEqual(['received']);
  });

  it('runs only what leads to the chosen node', async () => {
    const { listening, told, engine } = await start();
    const workflow = telling({ responseMode: 'onReceived' });
    await listening.listen(workflow, { node: 'Webhook', destination: 'Webhook' });
    expect(await told('POST', '/webhook-test/try')).toEqual([200, { message: 'Workflow was started' }]);
    await engine.executions.settle(AbortSignal.timeout(5000));
    const [run] = await engine.executions.list();
    const { detail } = (await engine.executions.get(run!.id))!;
    expect(Object.keys(detail!.data.resultData.runData)).toEqual(['Webhook']);
  });

  it('takes variables, with the id of the node and without', async () => {
    const { listening, told } = await start();
    const workflow = workflowOf(
      {
        Webhook: { ...webhookNode('o/:id'), webhookId: 'wid' },
        Say: setFields({ id: '={{ $json.params.id }}' }, false),
      },
      ['Webhook -> Say'],
    );
    for (const path of ['wid/o/7%208', 'o/7%208/']) {
      await listening.listen(workflow);
      expect(await told('POST', `/webhook-test/${path}`)).toEqual([200, { id: '7 8' }]);
    }
  });

  it.each([
    [workflowOf({ Say: setFields({}) }, []), {}, 'The workflow has no enabled Webhook node to listen with'],
    [telling(), { node: 'Say' }, 'The workflow has no enabled Webhook node called "Say"'],
  ])('cannot be had for a workflow without a Webhook node', async (workflow, options, message) => {
    const { listening } = await start();
    await expect(listening.listen(workflow, options)).rejects.toMatchObject({ status: 400, message });
  });
});
