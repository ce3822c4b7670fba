import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { createLog } from '../host/log.ts';
import { importModelFile } from './import-file.ts';
import { type NodeCore, openNodeCore } from './node-core.ts';

let home: string;
let core: NodeCore;
let engine: Engine;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-model-nodes-'));
  core = await openNodeCore({ home, env: {}, log: createLog({ level: 'error' }) });
  const signal = new AbortController().signal;
  for await (const _step of importModelFile(core.registry, await smollm2(), 'smollm2:135m', signal)) {
    // The last line reports success. A failure rejects.
  }
  ({ engine } = await core.webhooks.open());
}, 120_000);
afterAll(async () => {
  await core.close();
  await rm(home, { recursive: true });
});

// The smallest model with real weights gets only tasks that it solves reliably.
it('answers, extracts and classifies with real weights and default parameters', async () => {
  const chat = await runWebhookNode(
    engine,
    { type: 'tabd.chat', parameters: { options: { temperature: 0, maxTokens: 24 } } },
    [{ headers: {}, params: {}, query: {}, body: { text: 'What is the capital of France?' } }],
  );
  expect(chat.outputs[0]![0]).toMatchObject({
    text: expect.stringContaining('Paris'),
    model: 'smollm2:135m',
  });

  const schema = {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 40 }, age: { type: 'integer' } },
    required: ['name', 'age'],
  };
  const extract = await runWebhookNode(
    engine,
    { type: 'tabd.extract', parameters: { schema: JSON.stringify(schema) } },
    [{ text: 'Ada Lovelace is 36 years old and lives in London.' }],
  );
  expect(Object.keys(extract.outputs[0]![0]!)).toEqual(['name', 'age']);
  expect(extract.outputs[0]![0]).toMatchObject({
    name: expect.stringContaining('Ada'),
    age: expect.any(Number),
  });

  const classify = await runWebhookNode(engine, { type: 'tabd.classify' }, [
    { text: 'I love this, it is wonderful!' },
  ]);
  expect(['positive', 'neutral', 'negative']).toContain(classify.outputs[0]![0]!.category);
}, 120_000);
