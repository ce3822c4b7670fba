import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf, openAi } from '#test/support/webhooks/ai-workflow.ts';
import { openAi as openAiNode } from './openai.ts';

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

it('asks for a response with tools, images and a format', async () => {
  const { run, models } = await openAi([
    { tools: [{ name: 'Calculator', args: { input: '1+2' } }] },
    { text: '{"sum":3}' },
  ]);
  const workflow = aiWorkflow({
    Ask: node(2, {
      responses: {
        values: [
          { role: 'system', content: 'Add.' },
          { type: 'image', imageUrl: 'http://a/1.png', imageDetail: 'low' },
        ],
      },
      builtInTools: { webSearch: { allowedDomains: 'a.org, b.org' }, codeInterpreter: true },
      options: {
        instructions: 'Be brief.',
        truncation: true,
        reasoning: { reasoningOptions: { effort: 'low', summary: 'none' } },
        textFormat: { textOptions: { type: 'json_object' } },
      },
    }),
    Calculator: { type: 'toolCalculator', to: ['ai_tool', 'Ask'] },
  });
  expect(itemsOf(await run(workflow, [{}]), 'Ask')).toMatchObject([
    { output: [{ content: [{ text: { sum: 3 } }] }] },
  ]);
  const [first, second] = models.requests.map(({ body }) => body);
  expect(first).toMatchObject({
    instructions: 'Be brief.',
    truncation: 'auto',
    parallel_tool_calls: true,
    store: true,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_object' } },
    tools: [
      { type: 'function', name: 'Calculator', strict: false },
      {
        type: 'web_search',
        search_context_size: 'medium',
        filters: { allowed_domains: ['a.org', 'b.org'] },
      },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ],
    input: [
      { role: 'system', content: [{ text: 'You are a helpful assistant designed to output JSON.' }] },
      { role: 'system', content: [{ type: 'input_text', text: 'Add.' }] },
      { content: [{ type: 'input_image', detail: 'low', image_url: 'http://a/1.png' }] },
    ],
  });
  expect(second).toMatchObject({
    input: [{}, {}, {}, { type: 'function_call' }, { type: 'function_call_output', output: '3' }],
  });
});

it('refuses operations that OpenAI has ended', () => {
  const get = (name: string) => ({ resource: 'assistant', operation: 'message' })[name];
  const settings = { node: {}, version: 1.8, get } as never;
  expect(openAiNode.issues!(settings)).toEqual([
    'OpenAI has ended its assistants: use "Message a Model" of the resource "Text"',
  ]);
});
