import { expect, test } from 'vitest';
import type { Digest } from '#core/host';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { collect } from '#test/support/local-models/registry-host.ts';
import { type GgufValue, tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { MetadataCache } from '../formats/metadata-cache.ts';
import type { PullProgress } from '../progress.ts';
import { readFiles, refuseOtherFormats } from './read-files.ts';

const MISSING: Digest = `sha256:${'0'.repeat(64)}`;
const HTML = new TextEncoder().encode('<!doctype html>');
const text = (value: string): GgufValue => ({ type: 'string', value });
const number = (value: number): GgufValue => ({ type: 'uint32', value });

/** Stores the contents under their paths. Undefined: the blob is missing. */
async function upload(contents: [path: string, bytes: Uint8Array | undefined][]) {
  const blobs = new MemoryBlobs();
  const files: [string, Digest][] = [];
  for (const [path, bytes] of contents) files.push([path, bytes ? (await blobs.put(bytes)).digest : MISSING]);
  return { blobs, files };
}

/** The files with their roles, the lines, and the error. */
async function read(contents: [path: string, bytes: Uint8Array | undefined][]) {
  const { blobs, files } = await upload(contents);
  const reading = readFiles({ host: { blobs }, metadata: new MetadataCache({ blobs }) }, files);
  let roles: string[] = [];
  async function* lines(): AsyncGenerator<PullProgress> {
    roles = (yield* reading).map(({ role }) => role);
  }
  const { lines: seen, error } = await collect(lines());
  return { roles, statuses: seen.map(({ status }) => status), error };
}

test.each<[string, [string, Uint8Array | undefined][]]>([
  ['the ending, without a look at the content', [['w.gguf', HTML]]],
  ['the content where the ending is unknown', [['blob', tinyGguf()]]],
  [
    'a later file',
    [
      ['README', HTML],
      ['missing', undefined],
      ['w.gguf', undefined],
    ],
  ],
  [
    'the first of two known endings',
    [
      ['w.gguf', HTML],
      ['w.safetensors', HTML],
    ],
  ],
])('accepts GGUF by %s', async (_, contents) => {
  const { blobs, files } = await upload(contents);
  await expect(refuseOtherFormats(blobs, files)).resolves.toBeUndefined();
});

test.each<[string, [string, Uint8Array | undefined][], string]>([
  ['no files', [], 'unknown type'],
  ['an empty file', [['w', new Uint8Array()]], 'unknown type'],
  ['a file shorter than the magic', [['w', new TextEncoder().encode('GGU')]], 'unknown type'],
  ['a missing blob', [['w', undefined]], 'unknown type'],
  ['the ending in upper case', [['w.GGUF', HTML]], 'unknown type'],
  [
    'safetensors',
    [
      ['a/w.safetensors', tinyGguf()],
      ['w.gguf', HTML],
    ],
    'a/w.safetensors: safetensors files cannot',
  ],
])('refuses %s', async (_, contents, message) => {
  const { blobs, files } = await upload(contents);
  const refusal = refuseOtherFormats(blobs, files);
  await expect(refusal).rejects.toThrow(message);
  await expect(refusal).rejects.toMatchObject({ status: 400 });
});

test.each<[string, string, Parameters<typeof tinyGguf>[0]]>([
  ['weights', 'a model', {}],
  ['weights', 'one part of one', { metadata: { 'split.count': number(1) } }],
  ['weights', 'a model with a vision tower', { metadata: { 'llama.vision.block_count': number(2) } }],
  ['adapter', 'an adapter', { metadata: { 'general.type': text('adapter') } }],
  ['adapter', 'an adapter of CLIP', { architecture: 'clip', metadata: { 'general.type': text('adapter') } }],
  ['projector', 'the architecture of CLIP', { architecture: 'clip' }],
  ['projector', 'the type projector', { metadata: { 'general.type': text('projector') } }],
  ['projector', 'the type mmproj', { metadata: { 'general.type': text('mmproj') } }],
  [
    'projector',
    'layers of vision alone',
    { metadata: { 'llama.block_count': undefined, 'llama.vision.block_count': number(2) } },
  ],
])('the role is %s for %s', async (role, _, options) => {
  const { roles, error } = await read([['w.gguf', tinyGguf(options)]]);
  expect([roles, error]).toEqual([[role], undefined]);
});

test('reports each file, and keeps their order', async () => {
  const { roles, statuses } = await read([
    ['p.gguf', tinyGguf({ architecture: 'clip' })],
    ['w.gguf', tinyGguf()],
  ]);
  expect(roles).toEqual(['projector', 'weights']);
  const each = ['parsing GGUF', 'verifying conversion'];
  expect(statuses).toEqual([...each, ...each]);
});

test.each<[string, Uint8Array | undefined, number, string]>([
  ['a missing blob', undefined, 500, `open blobs/sha256-${'0'.repeat(64)}: no such file or directory`],
  ['another format', HTML, 400, 'supplied file was not in GGUF format'],
  ['an empty file', new Uint8Array(), 400, 'supplied file was not in GGUF format'],
  ['a header that breaks off', tinyGguf().slice(0, 100), 400, ''],
  [
    'one of several parts',
    tinyGguf({ metadata: { 'split.count': number(3) } }),
    400,
    'w.gguf is one of 3 parts',
  ],
])('the error for %s', async (_, bytes, status, message) => {
  const { error, statuses } = await read([['w.gguf', bytes]]);
  expect(error).toMatchObject({ name: 'ApiError', status });
  expect(error!.message).toContain(message);
  expect(statuses).toEqual(['parsing GGUF']);
});
