import { expect, it, onTestFinished } from 'vitest';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };

/** A server whose workflow offers a calculator. */
async function openTools(): Promise<TestWebhooks> {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const workflow = aiWorkflow({ Calculator: { type: 'toolCalculator', to: ['ai_tool', 'Start'] } });
  workflow.nodes[0] = {
    ...workflow.nodes[0]!,
    type: '@n8n/n8n-nodes-langchain.mcpTrigger',
    typeVersion: 2,
    parameters: { path: 'tools' },
  };
  await server.publish(workflow);
  return server;
}

async function ask(server: TestWebhooks, message: object, headers: Record<string, string> = {}) {
  const response = await server.call('POST', '/mcp/tools', {
    json: { jsonrpc: '2.0', ...message },
    headers: { ...ACCEPT, ...headers },
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1];
  return {
    status: response.status,
    session: response.headers.get('mcp-session-id') ?? '',
    answer: data && JSON.parse(data),
  };
}

it('lists and calls the tools of a workflow; each call is an execution', async () => {
  const server = await openTools();
  const begun = await ask(server, { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } });
  expect(begun.answer.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'Start' } });
  const session = { 'mcp-session-id': begun.session };
  expect((await ask(server, { method: 'notifications/initialized' }, session)).status).toBe(202);
  const { answer: listed } = await ask(server, { id: 2, method: 'tools/list' }, session);
  expect(listed.result.tools).toMatchObject([
    { name: 'Calculator', inputSchema: { additionalProperties: true } },
  ]);
  const call = (params: object) => ask(server, { id: 3, method: 'tools/call', params }, session);
  expect((await call({ name: 'Calculator', arguments: { input: '2+3' } })).answer.result).toEqual({
    content: [{ type: 'text', text: '5' }],
  });
  expect((await call({ name: 'none', arguments: {} })).answer.error).toEqual({
    code: -32603,
    message: 'Tool not found',
  });
  expect((await call({ name: 'Calculator', arguments: { input: 5 } })).answer.result.isError).toBe(true);
  expect(await server.engine.executions.list({ limit: 9 })).toHaveLength(3);
  expect((await ask(server, { id: 4, method: 'prompts/list' }, session)).answer.error.code).toBe(-32601);
});

it('refuses what is no message of a session', async () => {
  const server = await openTools();
  expect((await ask(server, { id: 0, method: 'tools/list' })).status).toBe(400);
  expect((await ask(server, { id: 0, method: 'ping' }, { 'mcp-session-id': 'x' })).status).toBe(404);
  const begin = { id: 1, method: 'initialize', params: {} };
  expect((await ask(server, begin, { accept: 'application/json' })).status).toBe(406);
  const bad = await server.call('POST', '/mcp/tools', { body: '{bad', headers: ACCEPT });
  expect(bad.status).toBe(422);
  expect((await server.call('GET', '/mcp/none')).status).toBe(404);
});

it('serves the older transport on a stream', async () => {
  const server = await openTools();
  const stream = await server.call('GET', '/mcp/tools');
  const reader = stream.body!.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  const path = /data: (.*)/.exec(await next())![1]!;
  const posted = await server.call('POST', path, { json: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  expect(posted.status).toBe(202);
  expect(await next()).toBe('event: message\ndata: {"result":{},"jsonrpc":"2.0","id":1}\n\n');
  await reader.cancel();
});

it('an agent uses the tools of an MCP server', async () => {
  const server = await openTools();
  const { run, host } = await openAi([
    { tools: [{ name: 'Calculator', args: { input: '6*7' } }] },
    { text: '42' },
  ]);
  const { fetch } = host.network;
  host.network.fetch = (url, init) =>
    String(url).includes('/mcp/') ? server.call('POST', '/mcp/tools', init as RequestInit) : fetch(url, init);
  const workflow = aiWorkflow({
    Agent: { type: 'agent', version: 3.1 },
    Model: model('Agent'),
    Remote: {
      type: 'mcpClientTool',
      version: 1.2,
      parameters: { endpointUrl: 'http://tools/mcp/tools', serverTransport: 'httpStreamable' },
      to: ['ai_tool', 'Agent'],
    },
  });
  const result = await run(workflow, [{ chatInput: '6 times 7?' }]);
  expect(itemsOf(result, 'Agent')).toEqual([{ output: '42' }]);
  expect(result.state.runData.Remote![0]!.data).toMatchObject({ ai_tool: [[{ json: { response: '42' } }]] });
});
