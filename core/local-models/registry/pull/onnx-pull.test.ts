import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyBert } from '#test/support/model-files/tiny-bert.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const { config, safetensors, graph } = tinyBert();
const common = {
  'config.json': json(config),
  'tokenizer.json': json({ model: { type: 'WordPiece', vocab: {} } }),
  'sentence_bert_config.json': json({ max_seq_length: 12 }),
  '1_Pooling/config.json': json({ pooling_mode_cls_token: true }),
};

let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    'user/graph': {
      card: { license: 'mit' },
      files: {
        ...common,
        'onnx/model.onnx': graph,
        'onnx/model.onnx_data': safetensors,
        'README.md': json('x'),
      },
    },
    'user/weights': { files: { ...common, 'model.safetensors': safetensors } },
    'user/other': {
      files: {
        ...common,
        'config.json': json({ ...config, model_type: 'mpnet' }),
        'model.safetensors': safetensors,
      },
    },
    'user/no-graph': { files: { ...common, 'onnx/model.onnx': json('<html>') } },
    'user/bare': { files: { 'model.safetensors': safetensors } },
  });
});
afterAll(() => hub.close());

async function pull(model: string) {
  const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
  const { lines, error } = await collect(registry.pull({ model, insecure: false }, neverAborted));
  const installed = await registry.find(registry.parse(model));
  return { host, registry, lines, error, installed };
}

it.each([
  ['hf.co/user/graph', 'onnx/model.onnx', 'onnx/model.onnx_data'],
  ['hf.co/user/weights', 'model.onnx', 'model.safetensors'],
])('%s is installed with all of its files', async (model, weights, part) => {
  const { registry, installed, error } = await pull(model);
  expect(error).toBeUndefined();
  expect(installed).toMatchObject({ format: 'onnx', capabilities: ['embedding'] });
  expect(installed!.files.map(({ role, name }) => [role, name])).toEqual([
    ['weights', weights],
    ['part', part],
    ['tokenizer', 'tokenizer.json'],
    ['config', 'config.json'],
    ['config', 'sentence_bert_config.json'],
    ['config', '1_Pooling/config.json'],
  ]);
  expect(await registry.metadata(installed!)).toMatchObject({
    architecture: 'bert',
    contextLength: 12,
    embeddingLength: 8,
    poolingType: 2,
    quantization: 'F32',
  });
  const manifest = JSON.parse(installed!.manifest!);
  expect(manifest.layers.map(({ name }: { name?: string }) => name)).toContain('tokenizer.json');
});

it.each([
  ['hf.co/user/other', 'a network of type mpnet'],
  ['hf.co/user/no-graph', 'its graph is cut off or damaged'],
  ['hf.co/user/bare', 'holds no GGUF file, no ONNX model with its tokenizer.json'],
])('%s is refused, and nothing of it is stored', async (model, message) => {
  const { host, installed, error } = await pull(model);
  expect(String(error)).toContain(message);
  expect(installed).toBeUndefined();
  expect(await host.blobs.list()).toEqual([]);
});
