import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';

let server: Server;
let address: string;
/** The text that the server writes in place of the address for messages. */
let answer: string | undefined;
let authorization: string | undefined;

beforeEach(async () => {
  answer = undefined;
  const transports = new Map<string, SSEServerTransport>();
  server = createServer(async (request, response) => {
    authorization = request.headers.authorization;
    const url = new URL(request.url!, 'http://localhost');
    if (request.method === 'POST') {
      await transports.get(url.searchParams.get('sessionId')!)!.handlePostMessage(request, response);
      return;
    }
    if (answer !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(answer);
      if (answer === '') response.end();
      return;
    }
    const mcp = new McpServer({ name: 'test', version: '1' });
    mcp.registerTool(
      'add',
      { description: 'adds', inputSchema: { a: z.number(), b: z.number() } },
      ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      }),
    );
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    await mcp.connect(transport);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const workflow = (version: number, parameters: object) =>
  aiWorkflow({
    Agent: { type: 'agent', version: 2, parameters: { promptType: 'define', text: 'q' } },
    Model: model('Agent'),
    Tool: { type: 'mcpClientTool', version, parameters: { ...parameters }, to: ['ai_tool', 'Agent'] },
  });
const call = { tools: [{ name: 'add', args: { a: 1, b: 2 } }] };

it.each([
  [1, 'sseEndpoint', {}],
  [1.1, 'endpointUrl', {}],
  [1.2, 'endpointUrl', { serverTransport: 'sse' }],
])('an agent of version %s uses a tool of a server with the older transport', async (version, name, more) => {
  const { run, models } = await openAi([call, { text: 'three' }]);
  const result = await run(workflow(version, { [name]: address, ...more }), [{}]);
  expect(itemsOf(result, 'Agent')).toEqual([{ output: 'three' }]);
  expect(JSON.stringify(models.requests[1]!.body)).toContain('"content":"3"');
});

it('sends the credential', async () => {
  const { run } = await openAi([{ text: 'x' }], {
    credentials: { data: async () => ({ apiKey: 'k', url: 'http://models/v1', token: 't' }) },
  });
  const own = workflow(1.1, { endpointUrl: address, authentication: 'bearerAuth' });
  const nodes = own.nodes.map((node) => ({
    ...node,
    credentials: { ...node.credentials, httpBearerAuth: { id: 'b', name: 'b' } },
  }));
  expect((await run({ ...own, nodes }, [{}])).status).toBe('success');
  expect(authorization).toBe('Bearer t');
});

it.each([
  ['', 'The MCP server has closed the connection'],
  ['event: endpoint\ndata: http://other.org/messages\n\n', 'names the address of another server'],
])('says what is wrong with a stream of %j', async (text, message) => {
  answer = text;
  const { run } = await openAi([{ text: 'x' }]);
  const result = await run(workflow(1.1, { endpointUrl: address }), [{}]);
  expect(JSON.stringify(result.state.runData)).toContain(message);
});

it('waits no longer than the limit', async () => {
  answer = ': nothing\n\n';
  const { run } = await openAi([{ text: 'x' }]);
  const result = await run(workflow(1.1, { endpointUrl: address, options: { timeout: 100 } }), [{}]);
  expect(JSON.stringify(result.state.runData)).toContain('did not answer within 100 ms');
});
