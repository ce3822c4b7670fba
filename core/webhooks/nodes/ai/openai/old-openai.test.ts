import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf } from '#test/support/webhooks/ai-workflow.ts';
import { scriptedService } from '#test/support/webhooks/scripted-service.ts';

const workflow = (version: number, parameters: object) =>
  aiWorkflow({ Ask: { type: 'n8n-nodes-base.openAi', version, parameters: { ...parameters } } });
const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };

it.each([
  [1, 'model'],
  [1.1, 'chatModel'],
])('version %s answers a chat, and names the model by %s', async (version, name) => {
  const { run, requests } = await scriptedService({ 'POST /v1/chat/completions': { choices: [choice] } });
  const parameters = {
    resource: 'chat',
    [name]: 'gpt-4',
    prompt: { messages: [{ content: 'q' }, { role: 'system', content: 's' }] },
    options: { maxTokens: 9, temperature: 0 },
  };
  expect(itemsOf(await run(workflow(version, parameters)), 'Ask')).toEqual([choice]);
  expect(requests[0]!.body).toEqual({
    model: 'gpt-4',
    messages: [
      { role: 'user', content: 'q' },
      { role: 'system', content: 's' },
    ],
    max_tokens: 9,
    temperature: 0,
  });
});

it('completes a text, and shows the complete answer', async () => {
  const answer = { id: 'c', choices: [{ text: 'Hi' }] };
  const { run, requests } = await scriptedService({ 'POST /v1/completions': answer });
  const parameters = { prompt: 'Say', simplifyOutput: false };
  expect(itemsOf(await run(workflow(1.1, parameters)), 'Ask')).toEqual([answer]);
  expect(requests[0]!.body).toEqual({ model: 'gpt-3.5-turbo-instruct', prompt: 'Say' });
});

it('moderates a text', async () => {
  const { run } = await scriptedService({ 'POST /v1/moderations': { results: [{ flagged: true }] } });
  const result = await run(workflow(1, { operation: 'moderate', input: 'x' }));
  expect(itemsOf(result, 'Ask')).toEqual([{ flagged: true }]);
});

it('makes images as files, or as addresses', async () => {
  const { run, requests } = await scriptedService({
    'POST /v1/images/generations': ({ body }) => ({
      data:
        (body as { response_format: string }).response_format === 'url'
          ? [{ url: 'u' }]
          : [{ b64_json: 'AQ==' }],
    }),
  });
  const image = { resource: 'image', prompt: 'a fox' };
  const result = await run(workflow(1.1, image));
  expect(result.state.runData.Ask![0]!.data!.main![0]).toMatchObject([
    { json: {}, binary: { data: { mimeType: 'image/png' } } },
  ]);
  expect(itemsOf(await run(workflow(1, { ...image, responseFormat: 'imageUrl' })), 'Ask')).toEqual([
    { url: 'u' },
  ]);
  expect(requests.map(({ body }) => body)).toMatchObject([
    { model: 'dall-e-2', response_format: 'b64_json' },
    { model: 'dall-e-2', response_format: 'url' },
  ]);
});
