import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';

it('manages the workflows of this server', async () => {
  let server: TestWebhooks | undefined;
  server = await openWebhookServer({
    settings: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const init = { headers: request.headers, from: '10.0.0.9', ...(text && { body: text }) };
      return server!.call(request.method, pathname + search, init);
    },
  });
  onTestFinished(() => server.close());
  const { key } = await server.keys.create('n8n node');
  const baseUrl = 'http://localhost:5678/api/v1';
  const { id } = await server.credentials.create('here', 'n8nApi', { apiKey: key, baseUrl });
  const run = (parameters: JsonObject) =>
    runFirstOutput(server.engine, {
      type: 'n8n-nodes-base.n8n',
      parameters,
      credentials: { n8nApi: { id, name: 'here' } },
    });
  const webhook = { name: 'Hook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] };
  const nodes = [{ ...webhook, id: 'h', parameters: { path: 'made' } }];
  const workflowObject = JSON.stringify({ name: 'Made', nodes, connections: {} });
  const [created] = (await run({ operation: 'create', workflowObject })) as JsonObject[];
  expect(created).toMatchObject({ name: 'Made', active: false });
  const workflowId = { __rl: true, mode: 'id', value: created!.id };
  expect(await run({ operation: 'activate', workflowId })).toMatchObject([{ active: true }]);
  expect((await server.call('GET', '/webhook/made')).status).toBe(200);
  expect(await run({ filters: { activeWorkflows: true } })).toMatchObject([{ name: 'Made' }]);
  const executions = { resource: 'execution', operation: 'getAll', filters: { workflowId } };
  await expect.poll(() => run(executions)).toMatchObject([{ workflowId: created!.id }]);
  expect(await run({ operation: 'delete', workflowId })).toMatchObject([{ id: created!.id }]);
  expect((await server.call('GET', '/webhook/made')).status).toBe(404);
});
