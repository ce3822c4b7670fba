import { afterEach, describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import type { Server } from '#core/http/routing/server.ts';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const EMBEDDER = () =>
  tinyGguf({ architecture: 'bert', metadata: { 'bert.pooling_type': { type: 'uint32', value: 1 } } });

/** A server whose language models give scripted answers. */
async function open(scripted: ScriptedOptions = {}, installed = ['talker:1', 'embedder:1']) {
  const engine = new ScriptedEngine(scripted);
  const host = createTestHost({ schema: recordsSchema, clock: 'real', engines: [engine] });
  const registry = createRegistry(host);
  for (const name of installed) {
    const blob = new Blob([name.startsWith('embedder') ? EMBEDDER() : tinyGguf()]);
    const file = { name: `${name}.gguf`, size: blob.size, stream: () => blob.stream() };
    for await (const _step of registry.importFiles(name, [file], new AbortController().signal)) {
      // A failed import throws.
    }
  }
  const { server } = createCore(host, registry);
  closing.push(() => server.close());
  return { engine, server };
}

const context = {
  listener: 'image-workflows',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [] as string[],
} as const;

async function ask<T>(server: Server, method: string, path: string, body?: object): Promise<T> {
  const request = new Request(`http://127.0.0.1:8188${path}`, {
    method,
    headers: { host: '127.0.0.1:8188' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await server.fetch(request, context)).json() as Promise<T>;
}

interface Entry {
  status: { status_str: string; messages: [string, Record<string, string>][] };
  outputs: Record<string, Record<string, string[]>>;
}

async function run(server: Server, prompt: Record<string, unknown>): Promise<Entry> {
  const { prompt_id: id } = await ask<{ prompt_id: string }>(server, 'POST', '/prompt', { prompt });
  for (;;) {
    const entry = (await ask<Record<string, Entry>>(server, 'GET', `/history/${id}`))[id];
    if (entry) return entry;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const shown = (source: [string, number]) => ({ class_type: 'PreviewAny', inputs: { source } });
const failure = ({ status }: Entry) =>
  status.messages.find(([name]) => name === 'execution_error')?.[1].exception_message;
const settings = { model: '', seed: 7, temperature: 0.5, max_tokens: 20 };

describe('language models in image workflows', () => {
  it('generate text with a seed, instructions and a limit', async () => {
    const { server, engine } = await open({ script: () => ' A red fox in snow. ' });
    const inputs = { text: 'An image idea?', instructions: 'Be brief.', ...settings };
    const entry = await run(server, { 1: { class_type: 'TabdGenerateText', inputs }, 2: shown(['1', 0]) });
    expect(entry.outputs['2']!.text).toEqual(['A red fox in snow.']);
    const { prompt, request } = engine.calls[0]!;
    expect(prompt).toMatch(/system\nBe brief\.<.*user\nAn image idea\?</s);
    expect(request.sampling).toMatchObject({ seed: 7, temperature: 0.5 });
  });

  it('expand ideas to prompts, without quotes around them', async () => {
    const { server, engine } = await open({ script: () => '"a fox, snow, soft light"' });
    const inputs = { prompt: 'a fox', style: 'watercolor', ...settings };
    const entry = await run(server, { 1: { class_type: 'TabdExpandPrompt', inputs }, 2: shown(['1', 0]) });
    expect(entry.outputs['2']!.text).toEqual(['a fox, snow, soft light']);
    expect(engine.calls[0]!.prompt).toContain('user\na fox\nStyle: watercolor<');
    const nothing = { class_type: 'TabdExpandPrompt', inputs: { ...inputs, prompt: ' ' } };
    expect(failure(await run(server, { 1: nothing, 2: shown(['1', 0]) }))).toContain('no idea');
  });

  it('embed texts, whose vectors can be compared', async () => {
    const { server } = await open();
    const embed = (text: string) => ({ class_type: 'TabdEmbedText', inputs: { text, model: '' } });
    const compare = (first: string, second: string) =>
      run(server, {
        1: embed(first),
        2: embed(second),
        3: { class_type: 'TabdSimilarity', inputs: { first: ['1', 0], second: ['2', 0] } },
        4: shown(['3', 0]),
      });
    expect(Number((await compare('a cat', 'a cat')).outputs['4']!.text![0])).toBeCloseTo(1, 5);
    expect(Number((await compare('a cat', 'the moon')).outputs['4']!.text![0])).toBeLessThan(0.99);
  });

  it('report what to install, and the error for an unknown name', async () => {
    const { server } = await open({}, []);
    const generate = (model: string) => ({
      1: { class_type: 'TabdGenerateText', inputs: { text: 'x', instructions: '', ...settings, model } },
      2: shown(['1', 0]),
    });
    expect(failure(await run(server, generate('')))).toContain('tabd pull');
    expect(failure(await run(server, generate('nope')))).toContain("model 'nope' not found");
    const describe = {
      1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
      2: {
        class_type: 'TabdDescribeImage',
        inputs: { image: ['1', 0], question: 'What is it?', ...settings },
      },
      3: shown(['2', 0]),
    };
    expect(failure(await run(server, describe))).toContain('projector');
  });

  it('stop when the prompt is interrupted', async () => {
    const { server, engine } = await open({ script: () => Array(2000).fill('word '), tokenDelay: 5 });
    const inputs = { text: 'x', instructions: '', ...settings, max_tokens: 2000 };
    const running = run(server, { 1: { class_type: 'TabdGenerateText', inputs }, 2: shown(['1', 0]) });
    await expect.poll(() => engine.calls[0]?.sent ?? 0).toBeGreaterThan(2);
    await server.fetch(
      new Request('http://127.0.0.1:8188/interrupt', { method: 'POST', headers: { host: '127.0.0.1:8188' } }),
      context,
    );
    expect((await running).status.messages.at(-1)![0]).toBe('execution_interrupted');
    await expect.poll(() => engine.calls[0]!.outcome).not.toBe('running');
    expect(engine.calls[0]!.sent).toBeLessThan(1000);
  });
});
