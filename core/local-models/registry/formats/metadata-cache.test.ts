import { expect, test } from 'vitest';
import { BlobMissing, type Digest, ModelCorrupt, type ModelFile } from '#core/host';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { EMPTY_LIBRARY, tinyMlc } from '#test/support/model-files/tiny-mlc.ts';
import { MetadataCache } from './metadata-cache.ts';

/** Counts the reads of each blob. */
class CountingBlobs extends MemoryBlobs {
  readonly reads: Digest[] = [];

  override read(digest: Digest, start?: number, end?: number) {
    this.reads.push(digest);
    return super.read(digest, start, end);
  }
}

function fixture() {
  const blobs = new CountingBlobs();
  const store = async (bytes: Uint8Array) => (await blobs.put(bytes)).digest;
  return { blobs, store, cache: new MetadataCache({ blobs }) };
}

test('reads a file once, also for calls at the same time', async () => {
  const { blobs, store, cache } = fixture();
  const digest = await store(tinyGguf({ contextLength: 77 }));
  const [first, second] = await Promise.all([cache.ofFile(digest), cache.ofFile(digest)]);
  const third = await cache.ofModel([{ role: 'weights', digest, size: 1 }], 'gguf');
  expect(first.contextLength).toBe(77);
  expect([second, third]).toEqual([first, first]);
  expect(blobs.reads).toEqual([digest]);
});

test('evicts the least recently used of 33 entries', async () => {
  const { blobs, store, cache } = fixture();
  const digests: Digest[] = [];
  for (let length = 1; length <= 33; length++) digests.push(await store(tinyGguf({ contextLength: length })));
  const [first, second] = digests as [Digest, Digest];
  for (const digest of digests.slice(0, 32)) await cache.ofFile(digest);
  await cache.ofFile(first);
  await cache.ofFile(digests[32]!);
  blobs.reads.length = 0;
  await cache.ofFile(first);
  expect(blobs.reads).toEqual([]);
  await cache.ofFile(second);
  expect(blobs.reads).toEqual([second]);
});

test('evicts the least recently used entries when all take more than 64 MiB', async () => {
  const { blobs, store, cache } = fixture();
  // A text of 6 Mi characters counts as 12 MiB.
  const large = (letter: string) => store(tinyGguf({ chatTemplate: letter.repeat(6 * 1024 * 1024) }));
  const digests = [await store(tinyGguf())];
  for (const letter of 'abcdef') digests.push(await large(letter));
  for (const digest of digests) await cache.ofFile(digest);
  blobs.reads.length = 0;
  for (const digest of digests.slice(-5)) await cache.ofFile(digest);
  expect(blobs.reads).toEqual([]);
  await cache.ofFile(digests[0]!);
  await cache.ofFile(digests[1]!);
  expect(blobs.reads).toEqual(digests.slice(0, 2));
});

test('does not keep an entry that alone takes more than 64 MiB', async () => {
  const { blobs, store, cache } = fixture();
  const text = { type: 'string' as const, value: 'x'.repeat(12 * 1024 * 1024) };
  const digest = await store(tinyGguf({ metadata: { a: text, b: text, c: text } }));
  await cache.ofFile(digest);
  await cache.ofFile(digest);
  expect(blobs.reads).toEqual([digest, digest]);
});

test('a failure is not cached', async () => {
  const { blobs, store, cache } = fixture();
  const bytes = tinyGguf();
  const digest = await store(bytes);
  blobs.blobs.delete(digest);
  await expect(cache.ofFile(digest)).rejects.toThrow(BlobMissing);
  await store(bytes);
  expect((await cache.ofFile(digest)).architecture).toBe('llama');
});

test.each([
  ['an empty file', new Uint8Array()],
  ['another format', new TextEncoder().encode('<!doctype html>'.repeat(10))],
  ['a header that breaks off', tinyGguf().slice(0, 200)],
  ['tensors that break off', tinyGguf().slice(0, -200)],
])('refuses %s', async (_, bytes) => {
  const { store, cache } = fixture();
  await expect(cache.ofFile(await store(bytes))).rejects.toThrow(ModelCorrupt);
});

test.each(['gguf', 'onnx', 'mlc', 'diffusers'] as const)(
  'refuses a model without weights: %s',
  async (format) => {
    const { cache } = fixture();
    await expect(cache.ofModel([], format)).rejects.toThrow(new ModelCorrupt('it has no weights'));
  },
);

test('models of several files are cached by the names and digests of all files', async () => {
  const { blobs, store, cache } = fixture();
  const contents = { ...tinyMlc(), 'library.wasm': EMPTY_LIBRARY };
  const files: ModelFile[] = [];
  for (const [name, bytes] of Object.entries(contents)) {
    const role = name.endsWith('.wasm') ? 'library' : name.startsWith('params') ? 'weights' : 'config';
    files.push({ role, name, digest: await store(bytes), size: bytes.length });
  }
  const metadata = await cache.ofModel(files, 'mlc');
  blobs.reads.length = 0;
  expect(await cache.ofModel([...files], 'mlc')).toBe(metadata);
  expect(blobs.reads).toEqual([]);
  const config = await store(new TextEncoder().encode('{"model_type":"qwen2"}'));
  const changed = files.map((file) =>
    file.name === 'mlc-chat-config.json' ? { ...file, digest: config } : file,
  );
  expect((await cache.ofModel(changed, 'mlc')).architecture).toBe('qwen2');
});

test('long arrays are read on request, and do not get into the cache', async () => {
  const { store, cache } = fixture();
  const value = Array.from({ length: 1025 }, (_, at) => at);
  const digest = await store(tinyGguf({ metadata: { long: { type: 'array', of: 'int32', value } } }));
  const longOf = (keyValues: [string, unknown][]) => new Map(keyValues).get('long');
  expect(longOf((await cache.read(digest, true)).keyValues)).toEqual(value);
  expect(longOf((await cache.ofFile(digest)).keyValues)).toBeNull();
});
