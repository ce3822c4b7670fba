/** Workflows that cannot respond as their Webhook node says: the client gets an error, the author finds a record. */
import { afterEach, expect, test } from 'vitest';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let server: TestWebhooks;
afterEach(() => server.close());

const NONE = 'No Respond to Webhook node found in the workflow';
const UNUSED = 'Unused Respond to Webhook node found in the workflow';
const RESPOND = { type: 'respondToWebhook', typeVersion: 1.5, parameters: {} };
const withoutResponder = (settings = {}) =>
  workflowOf(
    { Webhook: webhookNode('none', { responseMode: 'responseNode' }), End: setFields({ x: 1 }) },
    ['Webhook -> End'],
    { name: 'Without responder', settings },
  );

test('a call is recorded as a failed execution without any node', async () => {
  server = await openWebhookServer();
  await server.publish(withoutResponder());
  await server.publish(
    workflowOf({ Webhook: webhookNode('unused', {}), Say: RESPOND }, ['Webhook -> Say'], {
      name: 'Unused',
      id: 'unused',
    }),
  );
  expect(await server.exchange('POST', '/webhook/none')).toEqual([500, { code: 0, message: NONE }]);
  expect(await server.exchange('POST', '/webhook/unused')).toEqual([500, { code: 0, message: UNUSED }]);
  const { executions } = server.engine;
  const [unused, none] = await executions.list();
  const failed = { status: 'error', finished: false, mode: 'webhook', test: false };
  expect(none).toMatchObject({
    ...failed,
    workflowName: 'Without responder',
    error: { message: NONE, node: 'Webhook' },
  });
  expect(unused).toMatchObject({
    ...failed,
    workflowName: 'Unused',
    error: { message: UNUSED, node: 'Webhook' },
  });
  const { detail } = (await executions.get(none!.id))!;
  expect(detail!.data.resultData).toMatchObject({ runData: {}, error: { message: NONE } });
  await expect(executions.retry(none!.id)).rejects.toMatchObject({ status: 409 });
});

test('a call starts the error workflow', async () => {
  server = await openWebhookServer();
  const handler = workflowOf({ Trigger: { type: 'errorTrigger' } }, [], { name: 'Handler', id: 'handler' });
  await server.engine.workflows.put(handler);
  await server.publish(withoutResponder({ errorWorkflow: 'handler' }));
  await server.exchange('POST', '/webhook/none');
  await expect
    .poll(async () => (await server.engine.executions.list()).map(({ workflowName }) => workflowName))
    .toEqual(['Handler', 'Without responder']);
});

test('nothing is recorded if the workflow does not save failures', async () => {
  server = await openWebhookServer();
  await server.publish(withoutResponder({ saveDataErrorExecution: 'none' }));
  expect((await server.exchange('POST', '/webhook/none'))[0]).toBe(500);
  expect(await server.engine.executions.list()).toEqual([]);
});
