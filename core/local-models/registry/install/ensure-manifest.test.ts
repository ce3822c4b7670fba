import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import type { InstalledModel } from '../../base/installed-model.ts';

const weights = tinyGguf();
const request = { licences: [], parameters: {}, messages: [], info: {} };

it('writes a manifest for a model that an earlier version installed without one', async () => {
  const { host, registry } = registryUnderTest();
  const { digest, size } = await host.blobs.put(weights);
  const old: InstalledModel = {
    name: registry.parse('old'),
    digest: 'f'.repeat(64),
    size,
    modifiedAt: 1,
    format: 'gguf',
    files: [{ role: 'weights', digest, size }],
    template: 'T {{ .Prompt }}',
    system: 'S',
    licences: ['L'],
    parameters: { temperature: 0.5 },
    messages: [{ role: 'user', content: 'Hi' }],
    origin: 'before',
    capabilities: ['completion'],
  };
  await host.records.collection<InstalledModel>('models').put('registry.ollama.ai/library/old:latest', old);
  const { error } = await collect(registry.create({ ...request, model: 'new', from: 'old' }, neverAborted));
  expect(error).toBeUndefined();

  const upgraded = (await registry.find(old.name))!;
  expect(upgraded).toMatchObject({ ...old, digest: expect.not.stringMatching(/^f+$/) });
  expect(upgraded.digest).toBe(createHash('sha256').update(upgraded.manifest!).digest('hex'));
  const { layers } = JSON.parse(upgraded.manifest!) as { layers: { mediaType: string; digest: string }[] };
  expect(layers.map(({ mediaType }) => mediaType.split('.').at(-1))).toEqual([
    'model',
    'template',
    'system',
    'license',
    'params',
    'messages',
  ]);
  for (const layer of layers)
    expect(await host.blobs.stat(layer.digest as typeof digest)).toMatchObject({ digest: layer.digest });
  expect(await registry.find(registry.parse('new'))).toMatchObject({
    template: 'T {{ .Prompt }}',
    system: 'S',
    licences: ['L'],
    parameters: { temperature: 0.5 },
    messages: [{ role: 'user', content: 'Hi' }],
    parentModel: 'old:latest',
  });
  // The blobs of texts are deleted with the last model that uses them.
  for (const name of ['old', 'new']) await registry.delete(registry.parse(name));
  expect(host.blobs.used()).toBe(0);
});
