import { expect, it } from 'vitest';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { sha256 } from './digests.ts';
import { CONFIG_MEDIA_TYPE, fileToLayer, parseManifest, printManifest, totalSize } from './manifest.ts';
import { parseConfig, printConfig } from './model-config.ts';
import { composeLayers, storeText } from './text-layers.ts';

// Digests and sizes of models that Ollama 0.33 created: equal models have equal digests everywhere.
const weights = {
  role: 'weights' as const,
  digest: 'sha256:941f309b54caaad6747569ba43712bcde44a2be3bae16c3282ff499c37c54af5' as const,
  size: 98_362_432,
};
const template =
  '{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n';
const stop = ['<|im_start|>', '<|im_end|>'];
const details = { family: 'llama', parameterSize: '134.52M', quantization: 'Q4_1' };

async function plain(blobs = new MemoryBlobs()) {
  const layers = await composeLayers(
    blobs,
    [fileToLayer(weights)],
    { template, parameters: { stop } },
    () => {},
  );
  const config = await storeText(blobs, CONFIG_MEDIA_TYPE, printConfig('gguf', details), () => {});
  return { blobs, layers, config, text: printManifest(config, layers) };
}

it('writes the layers and the manifest of a model as Ollama does', async () => {
  const { layers, config, text } = await plain();
  expect(layers.map(({ digest }) => digest.slice(7, 19))).toEqual([
    '941f309b54ca',
    'e3b2721cec51',
    'f02dd72bb242',
  ]);
  expect(config.digest.slice(7, 19)).toBe('4157c46799c1');
  expect((await sha256(text)).slice(7)).toBe(
    'fd5f44c0b5aff6453726119fc560d73a8a995a55b4a49804bc24b1969ecf1794',
  );
  expect(totalSize(parseManifest(text)!)).toBe(98_362_745);
});

it('writes the layers and the manifest of a derived model as Ollama does', async () => {
  const { blobs, layers: base, config } = await plain();
  const layers = await composeLayers(
    blobs,
    base.map((layer) => ({ ...layer, from: 'smollm2:135m' })),
    {
      system: 'You are a pirate.',
      licences: ['L1', 'L2'],
      parameters: { temperature: 0.3, stop: ['<x>'] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Arr!' },
      ],
    },
    () => {},
  );
  expect(layers.map(({ digest, isNew }) => `${isNew ? 'new' : 'old'} ${digest.slice(7, 13)}`)).toEqual([
    'old 941f30',
    'old e3b272',
    'new 400458',
    'new dffe85',
    'new d76354',
    'new a613b8',
    'new eefa05',
  ]);
  const text = printManifest(config, layers);
  expect((await sha256(text)).slice(7)).toBe(
    'd587a2b7b0f5d5014f1ea67124250d6d9e31f3e3c34e000f21049ee948aa7c9d',
  );
  expect(totalSize(parseManifest(text)!)).toBe(98_362_823);
});

it('stores a text once', async () => {
  const blobs = new MemoryBlobs();
  expect(await storeText(blobs, CONFIG_MEDIA_TYPE, 'x', () => {})).toMatchObject({ isNew: true, size: 1 });
  expect(await storeText(blobs, CONFIG_MEDIA_TYPE, 'x', () => {})).toMatchObject({ isNew: false });
  expect(blobs.blobs.size).toBe(1);
});

it.each(['', 'null', '[]', '{"layers":[]}', '{"config":{"digest":"sha256:zz"},"layers":[]}'])(
  'refuses %j as a manifest',
  (text) => expect(parseManifest(text)).toBeUndefined(),
);

it('reads only fields of the right type from a configuration', () => {
  const config = { ...details, families: ['llama', 'clip'], renderer: 'r', capabilities: ['vision'] };
  expect(parseConfig(printConfig('gguf', config))).toEqual(config);
  expect(parseConfig('{"model_family":7,"file_type":"Q4_0","capabilities":"all"}')).toEqual({
    quantization: 'Q4_0',
  });
  expect(parseConfig('no JSON')).toEqual({});
});
