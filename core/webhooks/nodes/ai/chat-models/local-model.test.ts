import { expect, it, onTestFinished } from 'vitest';
import { aiWorkflow, itemsOf, openAi } from '#test/support/webhooks/ai-workflow.ts';
import { ScriptedModels } from '#test/support/webhooks/scripted-models.ts';
import { openWebhookServer } from '#test/support/webhooks/webhook-server.ts';

const workflow = (parameters: object) =>
  aiWorkflow({
    Agent: { type: 'agent', version: 3.1 },
    Model: {
      type: 'lmChatAnthropic',
      version: 1.3,
      parameters: { ...parameters },
      to: ['ai_languageModel', 'Agent'],
    },
    Calculator: { type: 'toolCalculator', to: ['ai_tool', 'Agent'] },
  });

it('a model of this server answers in place of a service', async () => {
  const local = new ScriptedModels({
    answers: [{ tools: [{ name: 'Calculator', args: { input: '1+2' } }] }, { text: '3' }],
  });
  const installed = { models: [{ name: 'small:1', capabilities: ['completion'] }] };
  const { run } = await openAi([], {
    localApis: {
      fetch: async (path, init) =>
        /tags|ps/.test(path) ? Response.json(installed) : local.answer(new Request(`http://x${path}`, init)),
    },
  });
  const result = await run(workflow({ useLocalModel: true }), [{ chatInput: '1 and 2?' }]);
  expect(itemsOf(result, 'Agent')).toEqual([{ output: '3' }]);
  expect(local.requests[0]).toMatchObject({ url: '/api/chat', body: { model: 'small:1' } });
});

it('a model without a credential is not published, and becomes local at import', async () => {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const plain = workflow({});
  for (const node of plain.nodes) delete node.credentials;
  await expect(server.publish(plain)).rejects.toThrow('Missing required credential: anthropicApi');
  const headers = { 'x-n8n-api-key': (await server.keys.create('k')).key };
  const [status, body] = await server.exchange('POST', '/api/v1/workflows/import', { json: plain, headers });
  expect(status).toBe(200);
  const [stored] = (body as { data: { id: string; nodes: { parameters: object }[] }[] }).data;
  expect(stored!.nodes.map(({ parameters }) => parameters)).toContainEqual({ useLocalModel: true });
});
