import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyVoice, VOICE_VOCABULARY } from '#test/support/local-models/speaking/tiny-voice.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { 'onnx/model.onnx': graph, 'voices/af_heart.bin': voice, ...settings } = tinyVoice();
const others = { 'voices/jf_alpha.bin': voice!, 'voices/README.md': new Uint8Array(9) };

let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    'user/kokoro': {
      card: { license: 'apache-2.0' },
      files: {
        ...settings,
        ...others,
        'voices/af_heart.bin': voice!,
        'onnx/model.onnx': graph!,
        'onnx/model_fp16.onnx': graph!,
        'onnx/model_quantized.onnx': graph!,
      },
    },
    'user/damaged-voice': {
      files: { ...settings, 'voices/af_heart.bin': voice!.subarray(0, 1000), 'onnx/model.onnx': graph! },
    },
    'user/no-vocabulary': {
      files: {
        'tokenizer.json': new TextEncoder().encode('{"model":{}}'),
        'voices/af_heart.bin': voice!,
        'onnx/model.onnx': graph!,
      },
    },
  });
});
afterAll(() => hub.close());

async function pull(model: string) {
  const { registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
  const { error } = await collect(registry.pull({ model, insecure: false }, neverAborted));
  return { registry, error, installed: await registry.find(registry.parse(model)) };
}

it.each([
  ['hf.co/user/kokoro', 'onnx/model.onnx'],
  ['hf.co/user/kokoro:fp16', 'onnx/model_fp16.onnx'],
  ['hf.co/user/kokoro:q8', 'onnx/model_quantized.onnx'],
])('%s is installed with the voices that speak English', async (model, file) => {
  const { registry, installed, error } = await pull(model);
  expect(error).toBeUndefined();
  expect(installed).toMatchObject({ format: 'onnx', capabilities: ['speech'], licences: ['apache-2.0'] });
  expect(installed!.files.map(({ role, name }) => [role, name])).toEqual([
    ['weights', file],
    ['tokenizer', 'tokenizer.json'],
    ['config', 'config.json'],
    ...['af_alloy', 'bf_emma', 'af_heart'].map((name) => ['part', `voices/${name}.bin`]),
  ]);
  const metadata = await registry.metadata(installed!);
  expect(metadata).toMatchObject({ architecture: 'kokoro', contextLength: 510, speaks: true });
  expect(metadata.keyValues).toContainEqual(['kokoro.vocab_size', Object.keys(VOICE_VOCABULARY).length]);
});

it.each([
  ['hf.co/user/damaged-voice', 'one of its voices is cut off or damaged'],
  ['hf.co/user/no-vocabulary', 'its tokenizer.json has no vocabulary'],
  ['hf.co/user/kokoro:q4', 'holds no'],
])('%s is refused', async (model, reason) => {
  const { error, installed } = await pull(model);
  expect([error?.message, installed]).toEqual([expect.stringContaining(reason), undefined]);
});
