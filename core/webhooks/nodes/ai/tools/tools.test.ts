import { describe, expect, it } from 'vitest';
import { inlinePython } from '#test/support/host/inline-python.ts';
import { aiWorkflow, model, openAi } from '#test/support/webhooks/ai-workflow.ts';
import { evaluateArithmetic } from './calculator/evaluate.ts';
import { fromAiSchema } from './from-ai.ts';
import { toolName } from './tool-name.ts';

describe('the calculator', () => {
  it.each([
    ['2*(3+4)', 14],
    ['2^3^2', 512],
    ['-2^2', -4],
    ['10 % 4 / 2', 1],
    ['sqrt(16) + max(1, 2, 3)', 7],
    ['5!', 120],
    ['1.5e2 + .5', 150.5],
    ['PI', Math.PI],
  ])('%s', (text, value) => expect(evaluateArithmetic(text)).toBeCloseTo(value));

  it.each(['', '2 +', '(1', 'a', '1 2', 'sqrt 4', 'constructor', '(1'.repeat(600)])('refuses %j', (text) => {
    expect(() => evaluateArithmetic(text)).toThrow();
  });
});

describe('fromAiSchema', () => {
  it('describes the arguments in the order of the parameters', () => {
    const { schema } = fromAiSchema({
      body: `={{ { s: $fromAI('s','a string'), n: $fromAI("n", \`\`, 'number'), b: $fromAI('b','', 'boolean', true) } }}`,
      list: [
        { value: "={{ $fromAI('j', 'some, \\'json\\'', 'json') }}" },
        { value: "={{ $fromAI('s', 'again') }}" },
      ],
      plain: "$fromAI('not')",
    });
    expect(schema).toMatchObject({
      properties: {
        s: { type: 'string', description: 'a string' },
        n: { type: 'number' },
        b: { type: 'boolean', default: true },
        j: { description: "some, 'json'" },
      },
      required: ['s', 'n', 'j'],
    });
    expect(Object.keys(schema.properties as object)).toEqual(['s', 'n', 'b', 'j']);
  });
});

it('toolName keeps letters, digits and hyphens', () => {
  expect(toolName('Get the weather (now)!')).toBe('Get_the_weather_now_');
});

it('Wikipedia answers with the beginnings of pages', async () => {
  const { run, host } = await openAi([
    { tools: [{ name: 'wikipedia-api', args: { input: 'Oslo' } }] },
    { text: 'a city' },
  ]);
  const { fetch } = host.network;
  const pages = { 2: { index: 1, title: 'Oslo', extract: 'Oslo is a city.' } };
  host.network.fetch = async (url, init) =>
    String(url).includes('wikipedia') ? Response.json({ query: { pages } }) : fetch(url, init);
  const workflow = aiWorkflow({
    Agent: { type: 'agent', version: 2.2 },
    Model: model('Agent'),
    Wikipedia: { type: 'toolWikipedia', to: ['ai_tool', 'Agent'] },
  });
  const { state } = await run(workflow, [{ chatInput: 'Oslo?' }]);
  expect(state.runData.Wikipedia![0]!.data).toEqual({
    ai_tool: [[{ json: { response: 'Page: Oslo\nSummary: Oslo is a city.' } }]],
  });
});

it('a Code Tool runs Python', async () => {
  const tool = (query: string) => ({ tools: [{ name: 'Code', args: { input: query } }] });
  const { run } = await openAi([tool('abc'), tool(''), { text: 'done' }], {}, { python: inlinePython });
  const pythonCode = 'if not _query:\n  raise ValueError("no text")\nreturn _query.upper()';
  const workflow = aiWorkflow({
    Agent: { type: 'agent', version: 2.2 },
    Model: model('Agent'),
    Code: {
      type: 'toolCode',
      version: 1.3,
      parameters: { language: 'python', pythonCode },
      to: ['ai_tool', 'Agent'],
    },
  });
  const { state } = await run(workflow, [{ chatInput: 'go' }]);
  expect(JSON.stringify(state.runData.Code![0]!.data)).toContain('"response":"ABC"');
  expect(JSON.stringify(state.runData.Code![1])).toContain('no text');
});
