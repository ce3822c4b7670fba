import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import type { CallContext, Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let server: Server;
let engine: Engine;
const requests: string[] = [];
beforeEach(async () => {
  requests.length = 0;
  server = createCore(createTestHost({ schema: recordsSchema, clock: 'real' })).server;
  const context: CallContext = {
    listener: 'origin',
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  };
  const models = {
    fetch(path: string, init?: RequestInit) {
      requests.push(`${init?.method ?? 'GET'} ${path}`);
      return server.fetch(new Request(`http://localhost${path}`, init), context);
    },
  };
  ({ engine } = await openEngine({}, { localApis: models }));
});
afterEach(async () => {
  await engine.close();
  await server.close();
});

const run = (graph: unknown, parameters: object = {}, input: object = {}) =>
  runWebhookNode(engine, { type: 'tabd.imageWorkflow', parameters: { graph, ...parameters } }, [
    input,
  ] as never);

const IMAGE_GRAPH = {
  1: { class_type: 'EmptyImage', inputs: { width: 16, height: 8, batch_size: 2, color: 0xff0000 } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: '%text%' } },
};

it('outputs the images of a graph as files', async () => {
  const { items, error } = await run(JSON.stringify(IMAGE_GRAPH), {}, { text: 'red' });
  expect(error).toBeUndefined();
  const [item] = items[0]!;
  expect(item!.json.images).toMatchObject([{ filename: 'red_00001_.png' }, { filename: 'red_00002_.png' }]);
  expect(Object.keys(item!.binary!)).toEqual(['data', 'data1']);
  expect(item!.binary!.data).toMatchObject({ mimeType: 'image/png', fileName: 'red_00001_.png' });
  expect(atob(item!.binary!.data!.data).slice(1, 4)).toBe('PNG');
});

it('outputs the text that a graph shows', async () => {
  const { outputs } = await run(
    { 1: { class_type: 'PreviewAny', inputs: { source: '%text%!' } } },
    { text: 'hi' },
  );
  expect(outputs[0]![0]).toMatchObject({ text: 'hi!', images: [] });
});

it('fails with the error message of the ComfyUI API', async () => {
  const { error } = await run({ 1: { class_type: 'NoSuchNode', inputs: {} } });
  expect(error?.message).toContain('NoSuchNode');
  const wide = {
    ...IMAGE_GRAPH,
    1: { ...IMAGE_GRAPH[1], inputs: { ...IMAGE_GRAPH[1].inputs, width: 'wide' } },
  };
  const refused = await run(wide, {}, { text: 'x' });
  expect(refused.error).toMatchObject({
    message: expect.stringContaining('Prompt outputs failed validation'),
    description: expect.stringContaining('Node 1 (EmptyImage)'),
  });
});

it('cancels its prompt when the execution is canceled', async () => {
  const stop = new AbortController();
  const parameters = { graph: JSON.stringify(IMAGE_GRAPH) };
  const running = runWebhookNode(engine, { type: 'tabd.imageWorkflow', parameters }, [{ text: 'x' }], {
    signal: stop.signal,
  });
  const hasPolled = () => requests.some((request) => request.startsWith('GET /history'));
  await expect.poll(hasPolled, { interval: 1 }).toBe(true);
  stop.abort();
  const { status } = await running;
  if (status === 'success') return;
  await expect.poll(() => requests).toContain('POST /interrupt');
  expect(requests).toContain('POST /queue');
});
