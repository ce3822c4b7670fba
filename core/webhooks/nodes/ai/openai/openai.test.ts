import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf, openAi } from '#test/support/webhooks/ai-workflow.ts';

const node = (version: number, parameters: object) => ({
  type: 'openAi',
  version,
  parameters: { modelId: { __rl: true, mode: 'id', value: 'm1' }, ...parameters },
});

it('asks with tools, and outputs the choices', async () => {
  const { run, models } = await openAi([
    { tools: [{ name: 'Calculator', args: { input: '1+2' } }] },
    { text: '{"sum":3}' },
  ]);
  const workflow = aiWorkflow({
    Ask: node(1.8, { messages: { values: [{ content: '={{ $json.q }}' }] }, jsonOutput: true }),
    Calculator: { type: 'toolCalculator', to: ['ai_tool', 'Ask'] },
  });
  const result = await run(workflow, [{ q: '1 and 2?' }]);
  expect(itemsOf(result, 'Ask')).toMatchObject([{ message: { content: { sum: 3 } }, finish_reason: 'stop' }]);
  expect(models.requests[1]!.body).toMatchObject({
    response_format: { type: 'json_object' },
    messages: [{ role: 'system' }, { role: 'user', content: '1 and 2?' }, {}, { role: 'tool', content: '3' }],
  });
});

it('ends although the model asks for tools for ever', async () => {
  const { run, models } = await openAi(Array(9).fill({ tools: [{ name: 'none', args: {} }] }));
  const workflow = aiWorkflow({
    Ask: node(1.8, { messages: { values: [{ content: 'q' }] }, options: { maxToolsIterations: 2 } }),
    Calculator: { type: 'toolCalculator', to: ['ai_tool', 'Ask'] },
  });
  expect((await run(workflow, [{}])).status).toBe('success');
  expect(models.requests).toHaveLength(3);
});

it('asks for a response since version 2', async () => {
  const { run, models } = await openAi([{ text: 'Hi' }]);
  const workflow = aiWorkflow({ Ask: node(2, { responses: { values: [{ content: 'q' }] } }) });
  expect(itemsOf(await run(workflow, [{}]), 'Ask')).toMatchObject([
    { output: [{ content: [{ text: 'Hi' }] }] },
  ]);
  expect(models.requests[0]).toMatchObject({ url: '/v1/responses', body: { model: 'm1' } });
});
