import { describe, expect, it } from 'vitest';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';

const SCHEMA = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}';
const parser = {
  type: 'outputParserStructured',
  version: 1.3,
  parameters: { schemaType: 'manual', inputSchema: SCHEMA },
};

describe('Basic LLM Chain', () => {
  const chain = { type: 'chainLlm', version: 1.9 };

  it('asks once for each item, with the stored messages before the question', async () => {
    const { run, models } = await openAi([{ text: ' a ' }, { text: 'b' }]);
    const messages = { messageValues: [{ message: '=You are {{ $json.who }}' }] };
    const workflow = aiWorkflow({
      Chain: { ...chain, parameters: { promptType: 'define', text: '=Q {{ $json.q }}', messages } },
      Model: model('Chain'),
    });
    const result = await run(workflow, [
      { q: 1, who: 'x' },
      { q: 2, who: 'y' },
    ]);
    expect(itemsOf(result, 'Chain')).toEqual([{ text: 'a' }, { text: 'b' }]);
    expect(models.requests.map(({ body }) => body)).toEqual([
      {
        model: 'm1',
        stream: false,
        messages: [
          { role: 'system', content: 'You are x' },
          { role: 'user', content: 'Q 1' },
        ],
      },
      expect.objectContaining({ model: 'm1' }),
    ]);
    const [first] = result.state.runData.Model!;
    expect(first).toMatchObject({
      executionStatus: 'success',
      source: [{ previousNode: 'Chain', previousNodeRun: 0 }],
      inputOverride: { ai_languageModel: [[{ json: { messages: ['System: You are x\nHuman: Q 1'] } }]] },
      data: { ai_languageModel: [[{ json: { tokenUsage: { totalTokens: 18 } } }]] },
      metadata: { subRun: [{ node: 'Model', runIndex: 0 }] },
    });
    expect(result.state.lastNode).toBe('Chain');
  });

  it('reads JSON of a schema, and drops what the schema does not name', async () => {
    const { run, models } = await openAi([{ text: 'Here:\n```json\n{"output":{"name":"Ann","x":1}}\n```' }]);
    const workflow = aiWorkflow({
      Chain: { ...chain, parameters: { hasOutputParser: true } },
      Model: model('Chain'),
      Parser: { ...parser, to: ['ai_outputParser', 'Chain'] },
    });
    const result = await run(workflow, [{ chatInput: 'Who?' }]);
    expect(itemsOf(result, 'Chain')).toEqual([{ output: { name: 'Ann' } }]);
    expect(JSON.stringify(models.requests[0]!.body)).toContain('Who?\\nYou must format your output');
  });

  it.each([
    ['{"output":{"name"', "Model output doesn't fit required format", 'Invalid JSON in model output'],
    [
      '{"output":{}}',
      "Model output doesn't fit required format",
      'Model output does not match the expected schema',
    ],
    [
      '{"name":"Ann"}',
      'The AI model returned an empty response to the Structured Output Parser',
      'Model output wrapper is an empty object',
    ],
  ])('refuses the answer %s', async (text, message, outputParserFailReason) => {
    const { run } = await openAi([{ text }]);
    const workflow = aiWorkflow({
      Chain: { ...chain, parameters: { hasOutputParser: true } },
      Model: model('Chain'),
      Parser: { ...parser, to: ['ai_outputParser', 'Chain'] },
    });
    const { error } = await run(workflow, [{ chatInput: 'Who?' }]);
    expect(error).toMatchObject({ message, node: 'Parser', context: { outputParserFailReason } });
  });

  it('lets another model correct an answer once', async () => {
    const { run, models } = await openAi([{ text: 'name is Ann' }, { text: '{"output":{"name":"Ann"}}' }]);
    const workflow = aiWorkflow({
      Chain: { ...chain, parameters: { hasOutputParser: true } },
      Model: model('Chain'),
      Fixing: {
        type: 'outputParserAutofixing',
        parameters: { options: {} },
        to: ['ai_outputParser', 'Chain'],
      },
      Parser: { ...parser, to: ['ai_outputParser', 'Fixing'] },
      Fixer: model('Fixing'),
    });
    const result = await run(workflow, [{ chatInput: 'Who?' }]);
    expect(itemsOf(result, 'Chain')).toEqual([{ output: { name: 'Ann' } }]);
    expect(JSON.stringify(models.requests[1]!.body)).toContain('name is Ann');
  });

  it.each([
    [400, 'Bad request - please check your parameters'],
    [401, 'Authorization failed - please check your credentials'],
    [429, 'The service is receiving too many requests from you'],
    [500, 'The service was not able to process your request'],
  ])('fails with the words of the status %d, and does not try again', async (status, message) => {
    const { run, models } = await openAi([{ status }, { text: 'later' }]);
    const result = await run(aiWorkflow({ Chain: chain, Model: model('Chain') }), [{ chatInput: 'a' }]);
    expect(result.error).toMatchObject({ message, description: `scripted ${status}`, node: 'Chain' });
    expect(models.requests).toHaveLength(1);
    expect(result.state.runData.Model![0]).toMatchObject({ executionStatus: 'error' });
  });

  it('ends a question that takes too long', async () => {
    const { run } = await openAi([{ delay: 500, text: 'late' }]);
    const workflow = aiWorkflow({ Chain: chain, Model: model('Chain', { timeout: 20 }) });
    expect((await run(workflow, [{ chatInput: 'a' }])).error?.message).toBe('Request timed out.');
  });

  it('needs a question and a model', async () => {
    const { run } = await openAi([]);
    const noModel = await run(aiWorkflow({ Chain: chain }), [{ chatInput: 'a' }]);
    expect(noModel.error?.message).toBe('A Model sub-node must be connected and enabled');
    const noPrompt = await run(aiWorkflow({ Chain: chain, Model: model('Chain') }), [{}]);
    expect(noPrompt.error?.message).toBe('No prompt specified');
  });

  it('ends when it is cancelled', async () => {
    const { run } = await openAi([{ delay: 5000, text: 'late' }]);
    const result = await run(aiWorkflow({ Chain: chain, Model: model('Chain') }), [{ chatInput: 'a' }], {
      signal: AbortSignal.timeout(30),
    });
    expect(result.status).toBe('canceled');
  });
});

it('Information Extractor reads attributes', async () => {
  const { run } = await openAi([{ text: '{"name":"Ann","age":3}' }]);
  const attributes = { attributes: [{ name: 'name', description: 'the name', required: true }] };
  const workflow = aiWorkflow({
    Extract: {
      type: 'informationExtractor',
      version: 1.2,
      parameters: { text: '={{ $json.t }}', schemaType: 'fromAttributes', attributes },
    },
    Model: model('Extract'),
  });
  expect(itemsOf(await run(workflow, [{ t: 'Ann is 3' }]), 'Extract')).toEqual([{ output: { name: 'Ann' } }]);
});

it('Text Classifier has an output for each category', async () => {
  const { run } = await openAi([{ text: '{"Cats":false,"Dogs":true}' }]);
  const categories = { categories: [{ category: 'Cats' }, { category: 'Dogs' }] };
  const workflow = aiWorkflow({
    Classify: {
      type: 'textClassifier',
      version: 1.1,
      parameters: { inputText: '={{ $json.t }}', categories },
    },
    Model: model('Classify'),
  });
  const result = await run(workflow, [{ t: 'woof' }]);
  expect([itemsOf(result, 'Classify'), itemsOf(result, 'Classify', 1)]).toEqual([[], [{ t: 'woof' }]]);
});

it('Sentiment Analysis adds the mood, and refuses another one', async () => {
  const { run } = await openAi([
    { text: '{"sentiment":"Negative","strength":0.9,"confidence":0.8}' },
    { text: '{"sentiment":"Odd"}' },
  ]);
  const workflow = aiWorkflow({
    Mood: { type: 'sentimentAnalysis', version: 1.1, parameters: { inputText: '={{ $json.t }}' } },
    Model: model('Mood'),
  });
  expect(itemsOf(await run(workflow, [{ t: 'bad' }]), 'Mood', 2)).toEqual([
    { t: 'bad', sentimentAnalysis: { category: 'Negative' } },
  ]);
  expect((await run(workflow, [{ t: 'bad' }])).error?.message).toMatch(/^Error during parsing of LLM output/);
});

it.each([
  ['map_reduce', 4, { text: 'final' }],
  ['stuff', 1, { text: 's1' }],
  ['refine', 3, { output_text: 's3' }],
])('Summarization Chain works by %s', async (summarizationMethod, requests, output) => {
  const long = 'word '.repeat(summarizationMethod === 'map_reduce' ? 3000 : 3).trim();
  const answers = requests === 4 ? ['s1', 's2', 's3', 'final'] : ['s1', 's2', 's3'];
  const { run, models } = await openAi(answers.map((text) => ({ text })));
  const workflow = aiWorkflow({
    Sum: {
      type: 'chainSummarization',
      version: 2.1,
      parameters: {
        chunkSize: requests === 4 ? 6000 : 1000,
        chunkOverlap: 0,
        options: { summarizationMethodAndPrompts: { values: { summarizationMethod } } },
      },
    },
    Model: model('Sum'),
  });
  const result = await run(workflow, [{ a: long, ...(requests === 3 && { b: 'x', c: 'y' }) }]);
  expect(itemsOf(result, 'Sum')).toEqual([{ output }]);
  expect(models.requests).toHaveLength(requests);
});
