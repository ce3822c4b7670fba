/** The response mode "Streaming": a line for each event of the nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkflowNode } from '#core/workflow-format';
import { answer, post } from '#test/support/webhooks/webhook-call.ts';
import { codeNode } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = (await openEngine()).engine;
});
afterAll(() => engine.close());

type Node = Partial<WorkflowNode> & { type?: string };

const code = (jsCode: string, more: Node = {}): Node => ({
  ...codeNode(jsCode),
  type: 'n8n-nodes-base.code',
  ...more,
});
const TWO = code(`return [{json:{a:1,b:{c:'x'}}},{json:{a:2}}];`);
const respond = (parameters: Record<string, unknown>, more: Node = {}): Node => ({
  type: 'n8n-nodes-base.respondToWebhook',
  typeVersion: 1.5,
  parameters,
  ...more,
});

async function lines(...then: Node[]) {
  const parameters = { httpMethod: 'POST', responseMode: 'streaming' };
  const response = await answer(engine, post('{"z":1}', 'application/json'), { behind: then, parameters });
  expect(response.headers.get('cache-control')).toBe('no-cache');
  const text = await response.text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('sends one line for each event', async () => {
  const node = respond({ respondWith: 'allIncomingItems' }, { id: 'r1' });
  const got = await lines(TWO, node);
  const metadata = (itemIndex: number) => ({
    nodeId: 'r1',
    nodeName: 'N1',
    itemIndex,
    runIndex: 0,
    timestamp: expect.any(Number),
  });
  expect(got.slice(0, 3)).toEqual([
    { type: 'begin', metadata: metadata(0) },
    { type: 'item', content: '{"a":1,"b":{"c":"x"}}', metadata: metadata(0) },
    { type: 'end', metadata: metadata(0) },
  ]);
  expect(got).toHaveLength(6);
});
test('splits a complete response into events', async () => {
  const node = respond({ respondWith: 'text', responseBody: 'hi', options: { enableStreaming: false } });
  expect((await lines(node)).map(({ type, content }) => [type, content])).toEqual([
    ['begin', undefined],
    ['item', 'hi'],
    ['end', undefined],
  ]);
});
test('sends errors, and nothing if no node responds', async () => {
  expect(await lines(code('throw new Error("boom")', { id: 'c1' }))).toEqual([
    { type: 'error', content: null, metadata: { nodeId: 'c1', nodeName: 'N0', runIndex: 0, itemIndex: 0 } },
  ]);
  expect(await lines(TWO)).toEqual([]);
});
test('sends the head before the execution ends', async () => {
  const slow = code('await new Promise((r) => setTimeout(r, 400)); return $input.all();');
  const start = performance.now();
  const parameters = { responseMode: 'streaming' };
  const response = await answer(engine, post('{}', 'application/json'), { behind: [slow], parameters });
  expect(performance.now() - start).toBeLessThan(390);
  await response.body!.cancel();
});
