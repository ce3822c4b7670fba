import { describe, expect, it } from 'vitest';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';

const calculator = { type: 'toolCalculator', to: ['ai_tool', 'Agent'] as [string, string] };
const agent = (version: number, options = {}) => ({ type: 'agent', version, parameters: { options } });
const sum = (input: string) => ({ tools: [{ name: 'Calculator', args: { input } }] });
const question = [{ chatInput: 'How much?' }];

describe.each([3.1, 2.2, 1.9])('AI Agent %d', (version) => {
  const workflow = (options = {}) =>
    aiWorkflow({ Agent: agent(version, options), Model: model('Agent'), Calculator: calculator });

  it('uses tools until it can answer', async () => {
    const { run, models } = await openAi([sum('2*(3+4)'), { text: 'It is 14' }]);
    const result = await run(workflow(), question);
    expect(itemsOf(result, 'Agent')).toEqual([{ output: 'It is 14' }]);
    const { messages, tools } = models.requests[1]!.body as { messages: object[]; tools: object[] };
    expect(messages).toHaveLength(3);
    expect(messages[2]).toMatchObject({ role: 'tool', content: version > 3 ? '[{"response":"14"}]' : '14' });
    expect(tools).toMatchObject([{ function: { name: 'Calculator', strict: false } }]);
    expect(result.state.runData.Calculator![0]).toMatchObject({
      data: { ai_tool: [[{ json: { response: '14' } }]] },
    });
  });

  it('answers the call of a tool that does not exist', async () => {
    const { run, models } = await openAi([{ tools: [{ name: 'none', args: {} }] }, { text: 'sorry' }]);
    expect(itemsOf(await run(workflow(), question), 'Agent')).toEqual([{ output: 'sorry' }]);
    expect(JSON.stringify(models.requests[1]!.body)).toContain('none is not a valid tool, try another one.');
  });

  it('ends although the model asks for tools for ever', async () => {
    const { run, models } = await openAi(Array(20).fill(sum('1+1')));
    const result = await run(workflow({ maxIterations: 3 }), question);
    expect(models.requests).toHaveLength(3);
    if (version > 3) expect(result.error?.message).toMatch(/^Max iterations \(3\) reached/);
    else expect(itemsOf(result, 'Agent')).toEqual([{ output: 'Agent stopped due to max iterations.' }]);
  });

  it('refuses arguments that are no JSON', async () => {
    const { run } = await openAi([{ tools: [{ name: 'Calculator', args: '{"input": ' }] }]);
    expect((await run(workflow(), question)).error?.message).toBe("Model output doesn't fit required format");
  });

  it('shows the model the failure of a tool', async () => {
    const { run, models } = await openAi([
      { tools: [{ name: 'Code', args: { input: 'x' } }] },
      { text: 'failed' },
    ]);
    const broken = aiWorkflow({
      Agent: agent(version),
      Model: model('Agent'),
      Code: {
        type: 'toolCode',
        version: 1.3,
        parameters: { jsCode: 'throw new Error("tool broke");' },
        to: ['ai_tool', 'Agent'],
      },
    });
    expect(itemsOf(await run(broken, question), 'Agent')).toEqual([{ output: 'failed' }]);
    expect(JSON.stringify(models.requests[1]!.body)).toContain('tool broke [line 1]');
  });
});

it('runs the tools of all items between two rounds, and comes after them', async () => {
  const { run } = await openAi([sum('1+2'), sum('3+4'), { text: '3' }, { text: '7' }]);
  const workflow = aiWorkflow({ Agent: agent(3.1), Model: model('Agent'), Calculator: calculator });
  const { state, ...result } = await run(workflow, [{ chatInput: 'a' }, { chatInput: 'b' }]);
  expect(itemsOf({ state, ...result }, 'Agent')).toEqual([{ output: '3' }, { output: '7' }]);
  const order = (name: string) => state.runData[name]!.map(({ executionIndex }) => executionIndex);
  expect([order('Model'), order('Calculator'), order('Agent')]).toEqual([[2, 3, 7, 8], [4, 5], [6]]);
});

it('calls ordinary nodes with the arguments of $fromAI()', async () => {
  const call = { tools: [{ name: 'Get_weather', args: { city: 'Oslo' } }] };
  const { run, models } = await openAi([call, { text: '21' }]);
  const workflow = aiWorkflow({
    Agent: agent(3.1),
    Model: model('Agent'),
    'Get weather': {
      type: 'n8n-nodes-base.httpRequestTool',
      version: 4.2,
      parameters: {
        toolDescription: 'Weather',
        url: 'http://models/weather',
        sendQuery: true,
        queryParameters: {
          parameters: [{ name: 'city', value: "={{ $fromAI('city', 'the city', 'string') }}" }],
        },
      },
      to: ['ai_tool', 'Agent'],
    },
  });
  expect(itemsOf(await run(workflow, question), 'Agent')).toEqual([{ output: '21' }]);
  expect(models.requests.map(({ url }) => url)).toContain('/weather?city=Oslo');
  expect(models.requests[0]!.body).toMatchObject({
    tools: [
      {
        function: {
          name: 'Get_weather',
          parameters: {
            properties: { city: { type: 'string', description: 'the city' } },
            required: ['city'],
          },
        },
      },
    ],
  });
});

describe('memory', () => {
  const workflow = aiWorkflow({
    Agent: agent(3.1),
    Model: model('Agent'),
    Memory: { type: 'memoryBufferWindow', version: 1.3, to: ['ai_memory', 'Agent'] },
  });

  it('keeps the last messages of a session over executions', async () => {
    const { run, models } = await openAi([{ text: 'Hello Ann' }, { text: 'Ann' }, { text: 'Unknown' }]);
    for (const [chatInput, sessionId] of [
      ['I am Ann', 's1'],
      ['Who am I?', 's1'],
      ['Who am I?', 's2'],
    ]) {
      await run(workflow, [{ chatInput, sessionId }]);
    }
    const counts = models.requests.map(({ body }) => (body as { messages: object[] }).messages.length);
    expect(counts).toEqual([1, 3, 1]);
  });

  it('needs a session', async () => {
    const { run } = await openAi([]);
    const result = await run(workflow, question);
    expect(result.error).toMatchObject({
      message: 'Error in sub-node Memory',
      description: 'No session ID found',
      node: 'Memory',
    });
    expect(result.state.runData.Memory![0]!.error?.message).toBe('No session ID found');
  });

  it('stays small over ten thousand turns', async () => {
    const { engine, run, host } = await openAi(Array(3).fill({ text: 'x' }));
    const messages = Array(20_000).fill({ role: 'user', content: 'x' });
    const key = '@n8n/n8n-nodes-langchain.memoryBufferWindow\nw1__s1';
    await host.records.collection('nodeStorage').put(key, { messages });
    await run(workflow, [{ chatInput: 'a', sessionId: 's1' }]);
    const stored = await host.records.collection<{ messages: object[] }>('nodeStorage').get(key);
    expect(stored!.messages).toHaveLength(400);
    expect(engine.executions.load.running).toBe(0);
  });
});

it('gives a structured answer by a tool of its own', async () => {
  const args = { output: { name: 'Ann' } };
  const { run, models } = await openAi([{ tools: [{ name: 'format_final_json_response', args }] }]);
  const workflow = aiWorkflow({
    Agent: { type: 'agent', version: 3.1, parameters: { hasOutputParser: true } },
    Model: model('Agent'),
    Parser: {
      type: 'outputParserStructured',
      version: 1.3,
      parameters: { schemaType: 'fromJson', jsonSchemaExample: '{"name":"x"}' },
      to: ['ai_outputParser', 'Agent'],
    },
  });
  expect(itemsOf(await run(workflow, question), 'Agent')).toEqual([args]);
  expect(models.requests[0]!.body).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] });
});

it('streams its answer where somebody reads it', async () => {
  const { run } = await openAi([{ text: 'Hi there' }]);
  const chunks: unknown[] = [];
  const workflow = aiWorkflow({ Agent: agent(3.1), Model: model('Agent') });
  await run(workflow, question, {
    responseSink: {
      respond() {},
      async stream({ type, content }) {
        chunks.push(content === undefined ? type : [type, content]);
        return true;
      },
    },
  });
  expect(chunks).toEqual(['begin', ['item', 'Hi '], ['item', 'there'], 'end']);
});

it('is a tool of another agent', async () => {
  const { run } = await openAi([
    { tools: [{ name: 'Helper', args: { Prompt: 'do it' } }] },
    { text: 'helper says' },
    { text: 'final' },
  ]);
  const workflow = aiWorkflow({
    Agent: agent(3.1),
    Model: model('Agent'),
    Helper: {
      type: 'agentTool',
      version: 3,
      parameters: { text: "={{ $fromAI('Prompt') }}" },
      to: ['ai_tool', 'Agent'],
    },
    Inner: model('Helper'),
  });
  expect(itemsOf(await run(workflow, question), 'Agent')).toEqual([{ output: 'final' }]);
});

it('refuses sub-nodes in a circle', async () => {
  const { run } = await openAi([]);
  const workflow = aiWorkflow({
    Chain: { type: 'chainLlm', version: 1.9, parameters: { hasOutputParser: true } },
    Model: model('Chain'),
    Fixing: { type: 'outputParserAutofixing', to: ['ai_outputParser', 'Chain'] },
  });
  workflow.connections.Fixing!.ai_outputParser![0]!.push({
    node: 'Fixing',
    type: 'ai_outputParser',
    index: 0,
  });
  expect((await run(workflow, question)).error?.description).toBe('The sub-nodes of Fixing form a circle');
});

it('calls another workflow with the arguments of the model', async () => {
  const { run, engine, models } = await openAi([
    { tools: [{ name: 'Double', args: { n: 21 } }] },
    { text: '42' },
  ]);
  const called = aiWorkflow(
    {
      Work: {
        type: 'n8n-nodes-base.code',
        version: 2,
        parameters: { jsCode: 'return [{ json: { doubled: 2 * $json.n } }];' },
      },
    },
    'w2',
  );
  called.nodes[0] = { ...called.nodes[0]!, type: 'n8n-nodes-base.executeWorkflowTrigger' };
  await engine.workflows.put(called);
  const workflow = aiWorkflow({
    Agent: agent(3.1),
    Model: model('Agent'),
    Double: {
      type: 'toolWorkflow',
      version: 2.2,
      parameters: {
        description: 'doubles',
        workflowId: { __rl: true, mode: 'id', value: 'w2' },
        workflowInputs: { mappingMode: 'defineBelow', value: { n: "={{ $fromAI('n', '', 'number') }}" } },
      },
      to: ['ai_tool', 'Agent'],
    },
  });
  expect(itemsOf(await run(workflow, question), 'Agent')).toEqual([{ output: '42' }]);
  expect(JSON.stringify(models.requests[1]!.body)).toContain('[{\\"doubled\\":42}]');
});
