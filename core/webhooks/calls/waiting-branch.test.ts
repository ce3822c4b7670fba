import { expect, it, onTestFinished } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { openWebhookServer, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { codeNode, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

it('a wait in a branch does not lose the other branch', async () => {
  const clock = new TestClock();
  const server = await openWebhookServer({ clock });
  onTestFinished(() => server.close());
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
  await server.engine.executions.settle(AbortSignal.timeout(5000));
  const [run] = await server.engine.executions.list();
  const { detail } = (await server.engine.executions.get(run!.id))!;
  expect(Object.keys(detail!.data.resultData.runData).sort()).toEqual(['End', 'Other', 'Wait', 'Webhook']);
});
