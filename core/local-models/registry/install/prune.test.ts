import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { collect } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { createRegistry } from '../registry.ts';

const day = 24 * 60 * 60 * 1000;
const stream = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream();
const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const;

async function leftovers(settings: Record<string, string> = {}) {
  const host = createTestHost({ settings });
  const registry = createRegistry(host);
  const [used, unused] = [tinyGguf(), tinyGguf({ contextLength: 5 })];
  for (const bytes of [used, unused]) await registry.storeBlob(digestOf(bytes), stream(bytes), neverAborted);
  const files: [string, `sha256:${string}`][] = [['m.gguf', digestOf(used)]];
  const request = { model: 'm', files, licences: [], parameters: {}, messages: [], info: {} };
  expect((await collect(registry.create(request, neverAborted))).error).toBeUndefined();
  // An incomplete download.
  const partial = await host.blobs.openPartial('sha256-x');
  await partial.append(new Uint8Array(1000));
  await partial.close();
  await host.records.collection('pulls').put('sha256-x', { name: 'x', startedAt: host.clock.now() });
  const state = async () => ({
    used: (await host.blobs.stat(digestOf(used))) !== undefined,
    unused: (await host.blobs.stat(digestOf(unused))) !== undefined,
    partial: host.blobs.partials.has('sha256-x'),
  });
  return { host, registry, state };
}

it('deletes downloads and uploads that nobody continued for two weeks', async () => {
  const { host, registry, state } = await leftovers();
  await host.time!.advance(13 * day);
  await registry.prune(neverAborted);
  expect(await state()).toEqual({ used: true, unused: true, partial: true });
  await host.time!.advance(2 * day);
  await registry.prune(neverAborted);
  expect(await state()).toEqual({ used: true, unused: false, partial: false });
  expect(await host.records.collection('pulls').list()).toEqual([]);
});

it('deletes nothing when OLLAMA_NOPRUNE is set', async () => {
  const { host, registry, state } = await leftovers({ OLLAMA_NOPRUNE: '1' });
  await host.time!.advance(100 * day);
  await registry.prune(neverAborted);
  expect(await state()).toEqual({ used: true, unused: true, partial: true });
});
