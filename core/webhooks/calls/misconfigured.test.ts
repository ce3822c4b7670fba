/** Workflows that cannot answer as their Webhook node says: the caller is told, and whoever made them finds the run. */
import { afterEach, expect, test } from 'vitest';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let server: TestWebhooks;
afterEach(() => server.close());

const NONE = 'No Respond to Webhook node found in the workflow';
const UNUSED = 'Unused Respond to Webhook node found in the workflow';
const RESPOND = { type: 'respondToWebhook', typeVersion: 1.5, parameters: {} };
const nobody = (settings = {}) =>
  workflowOf(
    { Webhook: webhookNode('none', { responseMode: 'responseNode' }), End: setFields({ x: 1 }) },
    ['Webhook -> End'],
    { name: 'Nobody', settings },
  );

test('leave a failed run, which did nothing', async () => {
  server = await openWebhookServer();
  await server.publish(nobody());
  await server.publish(
    workflowOf({ Webhook: webhookNode('unused', {}), Say: RESPOND }, ['Webhook -> Say'], {
      name: 'Unused',
      id: 'unused',
    }),
  );
  expect(await server.told('POST', '/webhook/none')).toEqual([500, { code: 0, message: NONE }]);
  expect(await server.told('POST', '/webhook/unused')).toEqual([500, { code: 0, message: UNUSED }]);
  const { executions } = server.engine;
  const [unused, none] = await executions.list();
  const failed = { status: 'error', finished: false, mode: 'webhook', test: false };
  expect(none).toMatchObject({
    ...failed,
    workflowName: 'Nobody',
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

test('start the workflow for failures', async () => {
  server = await openWebhookServer();
  const handler = workflowOf({ Trigger: { type: 'errorTrigger' } }, [], { name: 'Handler', id: 'handler' });
  await server.engine.workflows.put(handler);
  await server.publish(nobody({ errorWorkflow: 'handler' }));
  await server.told('POST', '/webhook/none');
  await expect
    .poll(async () => (await server.engine.executions.list()).map(({ workflowName }) => workflowName))
    .toEqual(['Handler', 'Nobody']);
});

test('keep nothing where failures are not to be kept', async () => {
  server = await openWebhookServer();
  await server.publish(nobody({ saveDataErrorExecution: 'none' }));
  expect((await server.told('POST', '/webhook/none'))[0]).toBe(500);
  expect(await server.engine.executions.list()).toEqual([]);
});
