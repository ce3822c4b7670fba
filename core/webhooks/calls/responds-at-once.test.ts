import { expect, it, onTestFinished } from 'vitest';
import { openWebhookServer, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { respondsAtOnce } from './responds-at-once.ts';

it('says which calls need no process with room for a run', async () => {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const modes = { a: 'onReceived', b: 'lastNode', c: 'responseNode', d: 'streaming', 'e/:id': 'onReceived' };
  for (const [path, responseMode] of Object.entries(modes)) {
    const nodes = {
      Webhook: webhookNode(path, { responseMode }),
      Answer: { type: 'respondToWebhook', typeVersion: 1.4, parameters: { enableStreaming: true } },
    };
    await server.publish(workflowOf(nodes, ['Webhook -> Answer'], { id: path.slice(0, 1) }));
  }
  const ask = (path: string, method = 'POST') => respondsAtOnce(method, path, server);
  expect(['a', 'b', 'c', 'd', 'e/7'].map((path) => ask(`/webhook/${path}`))).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
  // Unknown paths and preflights are answered at once too.
  expect([ask('/webhook/none'), ask('/webhook/b', 'GET'), ask('/webhook/b', 'OPTIONS')]).toEqual([
    true,
    true,
    true,
  ]);
  expect([ask('/webhook-test/a'), ask('/form/a'), ask('/other')]).toEqual([false, false, false]);
});
