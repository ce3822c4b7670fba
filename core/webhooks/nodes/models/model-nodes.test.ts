import { afterEach, describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const EMBEDDER = () =>
  tinyGguf({ architecture: 'bert', metadata: { 'bert.pooling_type': { type: 'uint32', value: 1 } } });

/** An engine with the local models of a server, which answer by a script. */
async function open(
  scripted: ScriptedOptions = {},
  models: Record<string, Uint8Array<ArrayBuffer>> = { 'talker:1': tinyGguf(), 'embedder:1': EMBEDDER() },
) {
  const language = new ScriptedEngine(scripted);
  const host = createTestHost({ schema: recordsSchema, clock: 'real', engines: [language] });
  const registry = createRegistry(host);
  const signal = new AbortController().signal;
  for (const [name, weights] of Object.entries(models)) {
    const blob = new Blob([weights]);
    const file = { name: `${name}.gguf`, size: blob.size, stream: () => blob.stream() };
    for await (const _step of registry.importFiles(name, [file], signal)) {
      // A failure would throw.
    }
  }
  const { server } = createCore(host, registry);
  const context = {
    listener: 'local-models',
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [] as string[],
  } as const;
  const { engine } = await openEngine(
    {},
    {
      localApis: {
        fetch: (path, init) => server.fetch(new Request(`http://localhost${path}`, init), context),
      },
    },
  );
  closing.push(
    () => engine.close(),
    () => server.close(),
  );
  return { engine, language };
}

const run = (engine: Engine, type: string, input: object[], parameters: Record<string, unknown> = {}) =>
  runWebhookNode(engine, { type, parameters }, input as never);

describe('Chat', () => {
  it('answers the text of an item without any parameters', async () => {
    const { engine, language } = await open({ script: () => 'Because of scattering.' });
    const { outputs } = await run(engine, 'tabd.chat', [{ text: 'Why is the sky blue?' }]);
    expect(outputs).toEqual([[{ text: 'Because of scattering.', model: 'talker:1' }]]);
    expect(language.calls[0]!.prompt).toContain('Why is the sky blue?');
  });

  it.each([
    [{ headers: {}, params: {}, query: {}, body: { question: 'from the body' } }, 'from the body'],
    [{ headers: {}, params: {}, query: {}, body: 'plain body' }, 'plain body'],
    [{ headers: {}, params: {}, query: { text: 'from the query' }, body: {} }, 'from the query'],
    [{ a: 1, b: ['c'] }, '{"a":1,"b":["c"]}'],
    [{ prompt: 'second', message: 'third', text: '' }, 'second'],
  ])('finds the text of %j', async (item, text) => {
    const { engine, language } = await open();
    await run(engine, 'tabd.chat', [item]);
    expect(language.calls[0]!.prompt).toContain(`user\n${text}<`);
  });

  it('uses the text, model, system message and options of its parameters', async () => {
    const { engine, language } = await open(
      {},
      { 'one:1': tinyGguf(), 'two:1': tinyGguf({ contextLength: 64 }) },
    );
    const { outputs } = await run(engine, 'tabd.chat', [{ name: 'Ada' }], {
      text: '=Greet {{ $json.name }}',
      model: 'one:1',
      options: { systemMessage: 'Be brief.', maxTokens: 2, temperature: 0 },
    });
    expect(outputs[0]![0]).toMatchObject({ text: 'Hello there,', model: 'one:1' });
    expect(language.calls[0]!.prompt).toMatch(/system\nBe brief\.<.*user\nGreet Ada</s);
    expect(language.calls[0]!.request.sampling.temperature).toBe(0);
  });

  it('prefers a model that is loaded', async () => {
    const { engine } = await open({}, { 'one:1': tinyGguf(), 'two:1': tinyGguf({ contextLength: 64 }) });
    for (const model of ['one:1', 'two:1']) {
      await engine.services.localApis.fetch('/api/generate', {
        method: 'POST',
        body: JSON.stringify({ model: 'one:1', keep_alive: 0 }),
      });
      await engine.services.localApis.fetch('/api/generate', {
        method: 'POST',
        body: JSON.stringify({ model: 'two:1', keep_alive: 0 }),
      });
      await engine.services.localApis.fetch('/api/generate', {
        method: 'POST',
        body: JSON.stringify({ model, keep_alive: -1 }),
      });
      const { outputs } = await run(engine, 'tabd.chat', [{ text: 'Hi' }]);
      expect(outputs[0]![0]!.model).toBe(model);
    }
  });

  it('explains how to install a model, and passes on errors of the API', async () => {
    const { engine } = await open({}, {});
    const withoutModel = await run(engine, 'tabd.chat', [{ text: 'Hi' }]);
    expect(withoutModel.error).toMatchObject({
      message: 'No model is installed that can answer',
      description: expect.stringContaining('tabd pull'),
    });
    const wrong = await run(engine, 'tabd.chat', [{ text: 'Hi' }], { model: 'nope' });
    expect(wrong.error?.message).toBe("model 'nope' not found");
    const empty = await run(engine, 'tabd.chat', [{}]);
    expect(empty.error?.message).toBe('There is no text to work on');
  });

  it('continues with the other items after one has failed', async () => {
    const { engine } = await open();
    const node = { type: 'tabd.chat', onError: 'continueRegularOutput' as const };
    const { outputs } = await runWebhookNode(engine, node, [{}, { text: 'Hi' }]);
    expect(outputs[0]).toMatchObject([
      { error: 'There is no text to work on' },
      { text: 'Hello there, friend.' },
    ]);
  });

  it('stops the model when the execution is canceled', async () => {
    const { engine, language } = await open({ script: () => Array(1000).fill('word '), tokenDelay: 5 });
    const stop = new AbortController();
    const running = runWebhookNode(engine, { type: 'tabd.chat' }, [{ text: 'Hi' }], { signal: stop.signal });
    await expect.poll(() => language.calls[0]?.sent ?? 0).toBeGreaterThan(2);
    stop.abort();
    await running;
    await expect.poll(() => language.calls[0]!.outcome).not.toBe('running');
    expect(language.calls[0]!.sent).toBeLessThan(500);
  });
});

describe('Extract Structured Data', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

  it('outputs the fields of the schema, which restricts the model', async () => {
    const { engine, language } = await open({ script: () => '{"name": "Ada"}' });
    const { outputs } = await run(engine, 'tabd.extract', [{ text: 'I am Ada.' }], {
      schema: JSON.stringify(schema),
    });
    expect(outputs).toEqual([[{ name: 'Ada' }]]);
    const { request } = language.calls[0]!;
    expect(request.grammar).toContain('name');
    expect(request.sampling.temperature).toBe(0);
  });

  it('accepts a schema as an object, and answers that are not objects', async () => {
    const { engine } = await open({ script: () => '["a"]' });
    const list = { type: 'array', items: { type: 'string' } };
    const { outputs } = await run(engine, 'tabd.extract', [{ text: 'x' }], { schema: list });
    expect(outputs).toEqual([[{ data: ['a'] }]]);
  });

  it.each([
    ['{', 'The JSON schema is not JSON'],
    ['[]', 'The JSON schema must be an object'],
  ])('refuses the schema %s', async (bad, message) => {
    const { engine } = await open();
    const { error } = await run(engine, 'tabd.extract', [{ text: 'x' }], { schema: bad });
    expect(error?.message).toContain(message);
  });

  it('reports an answer that was cut off', async () => {
    const { engine } = await open({ script: () => '{"name": "Ad' });
    const { error } = await run(engine, 'tabd.extract', [{ text: 'x' }], { schema });
    expect(error?.message).toBe('The model gave no complete answer');
  });
});

describe('Classify', () => {
  it('adds one of the categories to the item', async () => {
    const { engine, language } = await open({ script: () => '{"category":"invoice"}' });
    const { outputs } = await run(engine, 'tabd.classify', [{ text: 'Please pay', id: 7 }], {
      categories: 'invoice, complaint',
    });
    expect(outputs).toEqual([[{ text: 'Please pay', id: 7, category: 'invoice' }]]);
    expect(language.calls[0]!.request.grammar).toMatch(/invoice.*complaint/s);
  });

  it('needs two categories', async () => {
    const { engine } = await open();
    const { error } = await run(engine, 'tabd.classify', [{ text: 'x' }], { categories: 'a, a,' });
    expect(error?.message).toBe('There must be at least two different categories');
  });
});

describe('Embed', () => {
  it('adds vectors to all items with one request', async () => {
    const { engine, language } = await open();
    const { outputs } = await run(engine, 'tabd.embed', [{ text: 'a' }, { text: 'b', id: 1 }]);
    const [first, second] = outputs[0]! as { embedding: number[]; id?: number }[];
    expect([first!.embedding.length, second!.embedding.length, second!.id]).toEqual([64, 64, 1]);
    expect(first!.embedding).not.toEqual(second!.embedding);
    expect(language.models.at(-1)!.embedded).toEqual(['a', 'b']);
  });

  it('fails only for the items without text', async () => {
    const { engine } = await open();
    const node = { type: 'tabd.embed', onError: 'continueRegularOutput' as const };
    const { outputs } = await runWebhookNode(engine, node, [{}, { text: 'b' }]);
    expect(outputs[0]![0]).toEqual({ error: 'There is no text to work on' });
    expect(outputs[0]![1]!.embedding).toHaveLength(64);
  });

  it('explains which model is missing', async () => {
    const { engine } = await open({}, { 'talker:1': tinyGguf() });
    const { error } = await run(engine, 'tabd.embed', [{ text: 'a' }]);
    expect(error).toMatchObject({
      message: 'No model for embeddings is installed',
      description: expect.stringContaining('all-minilm'),
    });
  });
});
