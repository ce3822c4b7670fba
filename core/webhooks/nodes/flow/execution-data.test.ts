import { expect, it } from 'vitest';
import { openWebhookServer, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

it('keeps facts about the execution, and AI Transform runs its code', async () => {
  const server = await openWebhookServer();
  const values = [
    { key: 'customer', value: '={{ $json.body.name }}' },
    { key: 'k'.repeat(80), value: 'v'.repeat(800) },
    { key: '', value: 'nothing' },
  ];
  const nodes = {
    Hook: webhookNode('keep'),
    Keep: { type: 'executionData', typeVersion: 1.1, parameters: { dataToSave: { values } } },
    Change: {
      type: 'aiTransform',
      parameters: {
        instructions: 'double',
        jsCode: 'return $input.all().map(({ json }) => ({ json: { n: json.body.n * 2 } }))',
      },
    },
  };
  await server.publish(workflowOf(nodes, ['Hook -> Keep', 'Keep -> Change']));
  expect(await server.exchange('POST', '/webhook/keep', { json: { name: 'Al', n: 4 } })).toEqual([
    200,
    { n: 8 },
  ]);
  const [summary] = await server.engine.executions.list();
  const found = await server.engine.executions.get(summary!.id);
  expect(JSON.stringify(found)).toContain('"customer":"Al"');
  expect(JSON.stringify(found)).toContain(`"${'k'.repeat(50)}":"${'v'.repeat(512)}"`);
  await server.close();
});
