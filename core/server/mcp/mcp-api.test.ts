/** The official client of the Model Context Protocol against `/mcp` of a core over a host in memory. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordsSchema } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { type Core, createCore } from '../create-core.ts';

const open: { core?: Core; client?: Client } = {};
afterEach(async () => {
  await open.client?.close();
  await open.core?.server.close();
  open.client = undefined;
  open.core = undefined;
});

async function start(options: ScriptedOptions = {}) {
  const engine = new ScriptedEngine({ script: () => 'one two three', ...options });
  const weights = tinyGguf();
  const host = createTestHost({
    schema: recordsSchema,
    clock: 'real',
    engines: [engine],
    sources: [
      {
        name: 'shim',
        locate: async () => [
          {
            role: 'weights',
            name: 'tiny.gguf',
            size: weights.length,
            open: async (offset) => new Blob([weights.subarray(offset)]).stream(),
          },
        ],
      },
    ],
  });
  const core = createCore(host);
  open.core = core;
  const ask = (input: RequestInfo | URL, init?: RequestInit) =>
    core.server.fetch(new Request(input, init), {
      ...CALL,
      listener: String(input).includes(':8188') ? 'image-workflows' : 'local-models',
    });
  const client = new Client({ name: 'test', version: '1' });
  open.client = client;
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:11434/mcp'), {
    fetch: (url, init) => ask(url, init),
  });
  await client.connect(transport);
  const pull = async () => {
    const body = JSON.stringify({ model: 'smollm2:135m', stream: false });
    await (await ask('http://127.0.0.1:11434/api/pull', { method: 'POST', body })).text();
  };
  const call = (name: string, args: object = {}, more: object = {}) =>
    client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, more) as Promise<{
      content: { type: string; text?: string; data?: string; mimeType?: string }[];
      isError?: boolean;
    }>;
  return { engine, core, client, ask, pull, call };
}

const firstText = async (result: Promise<{ content: { text?: string }[] }>) =>
  (await result).content[0]!.text;

describe('models', () => {
  it('are listed and asked, with progress', async () => {
    const { client, pull, call } = await start();
    expect(client.getServerVersion()).toMatchObject({ name: 'tabd' });
    await pull();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['list_models', 'chat', 'embed', 'generate_image', 'run_image_graph']),
    );
    expect(JSON.parse((await firstText(call('list_models')))!)).toMatchObject([{ name: 'smollm2:135m' }]);
    const parts: string[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => parts.push(message ?? '');
    expect(await firstText(call('chat', { prompt: 'count' }, { onprogress }))).toBe('one two three');
    expect(parts.join('')).toBe('one two three');
  });

  it('refuse wrong arguments, missing models and unknown tools', async () => {
    const { pull, call } = await start();
    expect(await call('chat', { prompt: 'x' })).toMatchObject({ isError: true });
    await pull();
    expect(await call('chat', {})).toMatchObject({
      isError: true,
      content: [{ text: 'The argument "prompt" is missing' }],
    });
    expect(await firstText(call('chat', { prompt: 'x', model: 'none' }))).toContain("model 'none' not found");
    expect(await firstText(call('chat', { prompt: 'x', temperature: 'hot' }))).toContain('is a number');
    expect(await firstText(call('embed', { input: [5] }))).toContain('a list of texts');
    await expect(call('none')).rejects.toThrow('Tool not found');
  });

  it('stop when the client cancels its call', async () => {
    const { engine, pull, call } = await start({ tokenDelay: 20, script: () => 'word '.repeat(200) });
    await pull();
    const stop = new AbortController();
    const running = call('chat', { prompt: 'x' }, { signal: stop.signal });
    const failure = expect(running).rejects.toThrow();
    await vi.waitFor(() => expect(engine.calls[0]?.sent).toBeGreaterThan(0));
    stop.abort('enough');
    await failure;
    await vi.waitFor(() => expect(engine.calls[0]!.outcome).toMatch(/aborted|returned/));
  });
});

const GRAPH = {
  1: { class_type: 'EmptyImage', inputs: { width: 16, height: 8, batch_size: 1, color: 0xff0000 } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: '%text%' } },
};

describe('image graphs', () => {
  it('run, and return their images', async () => {
    const { call } = await start();
    const { content } = await call('run_image_graph', { graph: GRAPH, text: 'red' });
    expect(content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    expect(atob(content[0]!.data!).slice(1, 4)).toBe('PNG');
    expect(await call('run_image_graph', { graph: { nodes: [] } })).toMatchObject({ isError: true });
    expect(await firstText(call('generate_image', { prompt: 'x' }))).toContain('No checkpoint is installed');
  });

  it('are tools by their names when they are saved', async () => {
    const { ask, client, call } = await start();
    for (const [file, body] of [
      ['Red square.json', JSON.stringify(GRAPH)],
      ['editor.json', '{"nodes":[]}'],
    ]) {
      const url = `http://127.0.0.1:8188/userdata/${encodeURIComponent(`workflows/${file}`)}`;
      expect((await ask(url, { method: 'POST', body: body! })).status).toBe(200);
    }
    const tools = (await client.listTools()).tools.filter(({ name }) => name.startsWith('image_'));
    expect(tools).toMatchObject([
      { name: 'image_red_square', inputSchema: { properties: { text: { type: 'string' } } } },
    ]);
    expect((await call('image_red_square', { text: 'blue' })).content).toMatchObject([{ type: 'image' }]);
  });
});

const node = (name: string, type: string, parameters: object, more: object = {}) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more,
});

describe('published workflows', () => {
  const publish = async (
    core: Core,
    workflow: { id: string; name: string; nodes: object[]; [key: string]: unknown },
  ) => {
    const { engine, publishing } = await core.webhooks.open();
    await engine.workflows.put({ connections: {}, settings: {}, active: false, ...workflow } as never);
    await publishing.publish(workflow.id);
  };

  it('run with their declared fields, by their webhooks, and not when they are hidden', async () => {
    const { core, client, call } = await start();
    const fields = {
      values: [
        { name: 'count', type: 'number' },
        { name: 'any', type: 'any' },
      ],
    };
    const called = node('In', 'executeWorkflowTrigger', { workflowInputs: fields }, { typeVersion: 1.1 });
    await publish(core, { id: 'w1', name: 'Add & count', nodes: [called] });
    const hook = node(
      'Hook',
      'webhook',
      { path: 'sum/:id', httpMethod: 'POST', responseMode: 'lastNode' },
      { webhookId: 'h', typeVersion: 2 },
    );
    await publish(core, { id: 'w2', name: 'Sum', nodes: [hook] });
    const hidden = { ...called, id: 'h2' };
    await publish(core, { id: 'w3', name: 'Hidden', nodes: [hidden], settings: { availableInMCP: false } });

    const own = (await client.listTools()).tools.filter(({ name }) => /^(workflow|webhook)_/.test(name));
    expect(own).toMatchObject([
      { name: 'workflow_add_count', inputSchema: { properties: { count: { type: 'number' }, any: {} } } },
      { name: 'webhook_sum', inputSchema: { required: ['id'] } },
    ]);
    expect(JSON.parse((await firstText(call('workflow_add_count', { count: 2, other: 1 })))!)).toEqual([
      { count: 2, any: null },
    ]);
    const answer = await firstText(call('webhook_sum', { id: 'a b', body: { x: 1 }, query: { q: '1' } }));
    expect(JSON.parse(answer!)).toMatchObject({ params: { id: 'a b' }, body: { x: 1 }, query: { q: '1' } });
  });
});

it('takes up the session of a former server, and ends it', async () => {
  const { ask } = await start();
  const send = (body: object, session: string) =>
    ask('http://127.0.0.1:11434/mcp', {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      headers: { accept: 'application/json, text/event-stream', 'mcp-session-id': session },
    });
  expect((await send({ id: 1, method: 'ping' }, 'of-a-former-server')).status).toBe(200);
  expect((await send({ id: 1, method: 'ping' }, 'x'.repeat(101))).status).toBe(404);
});

it('refuses a page of another site', async () => {
  const { ask } = await start();
  const headers = { origin: 'https://evil.example', accept: 'application/json, text/event-stream' };
  const response = await ask('http://127.0.0.1:11434/mcp', { method: 'POST', body: '{}', headers });
  expect(response.status).toBe(403);
});
