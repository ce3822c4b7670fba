import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyWhisper } from '#test/support/local-models/whisper/tiny-whisper.ts';
import { chooseWhisper } from './sources/choose-whisper.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const {
  'onnx/encoder_model.onnx': encoder,
  'onnx/decoder_model_merged.onnx': decoder,
  ...settings
} = tinyWhisper();
const data = new Uint8Array(9);

let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    'user/whisper': {
      card: { license: 'mit' },
      files: {
        ...settings,
        'onnx/encoder_model.onnx': encoder!,
        'onnx/encoder_model.onnx_data': data,
        'onnx/encoder_model_fp16.onnx': encoder!,
        'onnx/decoder_model.onnx': decoder!,
        'onnx/decoder_with_past_model.onnx': decoder!,
        'onnx/decoder_model_merged.onnx': decoder!,
        'onnx/decoder_model_merged_fp16.onnx': decoder!,
        'onnx/decoder_model_merged_q4.onnx': decoder!,
        'vocab.json': data,
      },
    },
    'user/encoder-alone': { files: { ...settings, 'onnx/encoder_model.onnx': encoder! } },
    'user/damaged': {
      files: { ...settings, 'onnx/encoder_model.onnx': data, 'onnx/decoder_model_merged.onnx': decoder! },
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
  ['hf.co/user/whisper', 'encoder_model.onnx', 'decoder_model_merged.onnx'],
  ['hf.co/user/whisper:fp16', 'encoder_model_fp16.onnx', 'decoder_model_merged_fp16.onnx'],
  ['hf.co/user/whisper:F16', 'encoder_model_fp16.onnx', 'decoder_model_merged_fp16.onnx'],
  // There is no encoder of 4 bits.
  ['hf.co/user/whisper:q4', 'encoder_model.onnx', 'decoder_model_merged_q4.onnx'],
])('%s is installed with encoder and decoder', async (model, encoderFile, decoderFile) => {
  const { registry, installed, error } = await pull(model);
  expect(error).toBeUndefined();
  expect(installed).toMatchObject({ format: 'onnx', capabilities: ['audio'], licences: ['mit'] });
  expect(installed!.files.map(({ role, name }) => [role, name])).toEqual([
    ['weights', `onnx/${encoderFile}`],
    ['weights', `onnx/${decoderFile}`],
    ...(encoderFile === 'encoder_model.onnx' ? [['part', 'onnx/encoder_model.onnx_data']] : []),
    ['tokenizer', 'tokenizer.json'],
    ['config', 'config.json'],
    ['config', 'generation_config.json'],
  ]);
  expect(await registry.metadata(installed!)).toMatchObject({
    architecture: 'whisper',
    contextLength: 448,
    embeddingLength: 32,
    quantization: 'F32',
    hears: true,
  });
});

it('the path of a graph names the precision of both', () => {
  const paths = ['encoder_model.onnx', 'encoder_model_q4.onnx', 'decoder_model_merged_q4.onnx'];
  const files = [...paths.map((path) => ({ path })), { path: 'tokenizer.json' }, { path: 'config.json' }];
  const chosen = (path: string) => chooseWhisper(files, { path })?.map((file) => file.path);
  expect(chosen('decoder_model_merged_q4.onnx')?.slice(0, 2)).toEqual([paths[1], paths[2]]);
  expect(chosen('model.onnx')).toBeUndefined();
});

it.each([
  ['hf.co/user/encoder-alone', 'holds no'],
  ['hf.co/user/whisper:q8', 'holds no'],
  ['hf.co/user/damaged', 'cut off or damaged'],
])('%s is refused', async (model, reason) => {
  const { error, installed } = await pull(model);
  expect([error?.message, installed]).toEqual([expect.stringContaining(reason), undefined]);
});
