import { expect, it } from 'vitest';
import type { Digest } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import type { InstalledModel } from '../../base/installed-model.ts';
import { parseName } from '../names/model-name.ts';
import { InstalledModels } from './installed-models.ts';

const model = (name: string, modifiedAt: number, digests: Digest[]): InstalledModel => ({
  name: parseName(name),
  digest: '0'.repeat(64),
  size: 1,
  modifiedAt,
  format: 'gguf',
  files: digests.map((digest) => ({ role: 'weights', digest, size: 1 })),
  licences: [],
  parameters: {},
  messages: [],
  origin: 'test',
  capabilities: ['completion'],
});

it('lists the newest first, and models of the same second by name', async () => {
  const models = new InstalledModels(createTestHost());
  for (const [name, at] of [
    ['b', 1_000_900],
    ['old', 999_999],
    ['a', 1_000_100],
    ['new', 1_001_000],
  ] as const) {
    await models.put(model(name, at, []));
  }
  expect((await models.list()).map(({ name }) => name.model)).toEqual(['new', 'a', 'b', 'old']);
});

it('finds a model in any spelling and displays the first spelling', async () => {
  const models = new InstalledModels(createTestHost());
  await models.put(model('User/Model:Tag', 1, []));
  expect((await models.find(parseName('uSER/mODEL:tAG')))?.name).toEqual(parseName('User/Model:Tag'));
});

it('deletes a blob with the last model that uses it, unless another one is being installed', async () => {
  const host = createTestHost();
  const models = new InstalledModels(host);
  const { digest: shared } = await host.blobs.put(new Uint8Array([1]));
  const { digest: own } = await host.blobs.put(new Uint8Array([2]));
  await models.put(model('a', 1, [shared, own]));
  await models.put(model('b', 1, [shared]));
  const release = models.holdBlob(shared);
  await models.delete(parseName('a'));
  expect([...host.blobs.blobs.keys()]).toEqual([shared]);
  await models.delete(parseName('b'));
  expect([...host.blobs.blobs.keys()]).toEqual([shared]);
  release();
  await models.deleteUnlessUsed(shared);
  expect(host.blobs.blobs.size).toBe(0);
});
