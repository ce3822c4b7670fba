import { expect, test } from 'vitest';
import type { Digest } from '#core/host';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { collect } from '#test/support/local-models/registry-host.ts';
import { tinyPart } from '#test/support/model-files/split-gguf.ts';
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

/** The files with their roles and digests, the lines, and the error. */
async function read(contents: [path: string, bytes: Uint8Array | undefined][]) {
  const { blobs, files } = await upload(contents);
  const reading = readFiles({ host: { blobs }, metadata: new MetadataCache({ blobs }) }, files);
  let roles: string[] = [];
  let digests: Digest[] = [];
  async function* lines(): AsyncGenerator<PullProgress> {
    const modelFiles = yield* reading;
    roles = modelFiles.map(({ role }) => role);
    digests = modelFiles.map(({ digest }) => digest);
  }
  const { lines: seen, error } = await collect(lines());
  return { roles, digests, statuses: seen.map(({ status }) => status), error };
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

test('parts of a model are put in order, and stand before other files', async () => {
  const [first, second, third] = [tinyPart(0, 3), tinyPart(1, 3), tinyPart(2, 3)];
  const { roles, digests, error } = await read([
    ['c.gguf', third],
    ['p.gguf', tinyGguf({ architecture: 'clip' })],
    ['a.gguf', first],
    ['b.gguf', second],
  ]);
  expect([error, roles]).toEqual([undefined, ['weights', 'part', 'part', 'projector']]);
  const { blobs } = await upload([]);
  const expected = await Promise.all([first, second, third].map((bytes) => blobs.put(bytes)));
  expect(digests.slice(0, 3)).toEqual(expected.map(({ digest }) => digest));
});

test.each<[string, Uint8Array[], string]>([
  ['one part alone', [tinyPart(1, 3)], '0.gguf is part 2 of 3 of a model: name all 3 files'],
  [
    'a part that is missing',
    [tinyPart(0, 3), tinyPart(2, 3)],
    '0.gguf is part 1 of 3 of a model: name all 3 files',
  ],
  ['a part twice', [tinyPart(0, 2), tinyPart(0, 2)], 'file 2 of 2 is part 1 of 2 of its model'],
  [
    'one part too many',
    [tinyPart(0, 2), tinyPart(1, 2), tinyPart(1, 2)],
    'file 1 of 3 is part 1 of 2 of its model',
  ],
  ['parts of two models', [tinyPart(0, 2), tinyPart(1, 3)], 'file 2 of 2 is part 2 of 3 of its model'],
  [
    'the same tensors twice',
    [tinyPart(0, 2, 'a'), tinyPart(1, 2, 'a')],
    'its parts hold the same tensors twice',
  ],
])('refuses %s', async (_, parts, message) => {
  const { error } = await read(parts.map((bytes, at) => [`${at}.gguf`, bytes]));
  expect(error).toMatchObject({ name: 'ApiError', status: 400 });
  expect(error!.message).toContain(message);
});

test.each<[string, Uint8Array | undefined, number, string]>([
  ['a missing blob', undefined, 500, `open blobs/sha256-${'0'.repeat(64)}: no such file or directory`],
  ['another format', HTML, 400, 'supplied file was not in GGUF format'],
  ['an empty file', new Uint8Array(), 400, 'supplied file was not in GGUF format'],
  ['a header that breaks off', tinyGguf().slice(0, 100), 400, ''],
])('the error for %s', async (_, bytes, status, message) => {
  const { error, statuses } = await read([['w.gguf', bytes]]);
  expect(error).toMatchObject({ name: 'ApiError', status });
  expect(error!.message).toContain(message);
  expect(statuses).toEqual(['parsing GGUF']);
});
