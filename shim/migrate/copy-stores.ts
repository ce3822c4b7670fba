/** Copies all records, blobs and files of one installation into the empty stores of another one. */
import { createHash } from 'node:crypto';
import type { Blobs, Digest, FilePath, Files, Records, RecordsSchema } from '#core/host';
import { UsageError } from '../base/usage-error.ts';

export interface CopiedStores {
  records: Records;
  blobs: Blobs;
  files: Files;
}

export interface CopyCounts {
  records: number;
  blobs: number;
  files: number;
  bytes: number;
}

/** Records that are read and written at a time. */
const PAGE = 100;
/** Documents that are read at a time are large at most as a transaction should be. */
const MAX_CHARACTERS = 8 * 2 ** 20;

/**
 * Copies everything, and then reads the copies again: their digests must be those of the originals. The source stays as it
 * is. After a failure, the target is partly filled: start again with an empty one.
 * @throws UsageError for a target that is not empty, Error for a copy that differs
 */
export async function copyStores(
  from: CopiedStores,
  to: CopiedStores,
  schema: RecordsSchema,
  signal: AbortSignal,
): Promise<CopyCounts> {
  const collections = Object.keys(schema.collections);
  await requireEmpty(to, collections);
  const counts: CopyCounts = { records: 0, blobs: 0, files: 0, bytes: 0 };
  // Files come first: records refer to them.
  for (const { digest, size } of await from.blobs.list()) {
    await copyBlob(from.blobs, to.blobs, digest, signal);
    counts.blobs += 1;
    counts.bytes += size;
  }
  for await (const path of filesOf(from.files)) {
    counts.bytes += await copyFile(from.files, to.files, path, signal);
    counts.files += 1;
  }
  for (const name of collections)
    counts.records += await copyCollection(from.records, to.records, name, signal);
  return counts;
}

async function requireEmpty({ records, blobs, files }: CopiedStores, collections: string[]): Promise<void> {
  for (const name of collections) {
    if ((await records.collection(name).list({ limit: 1 })).length > 0)
      throw new UsageError(`the target has ${name} already: it must be empty`);
  }
  if ((await blobs.list()).length > 0)
    throw new UsageError('the target has models already: it must be empty');
  for await (const path of filesOf(files)) throw new UsageError(`the target has the file ${path} already`);
}

async function copyBlob(from: Blobs, to: Blobs, digest: Digest, signal: AbortSignal): Promise<void> {
  const partial = await to.openPartial(digest, signal);
  try {
    await partial.truncate();
    for await (const bytes of from.read(digest)) {
      signal.throwIfAborted();
      await partial.append(bytes);
    }
    await partial.commit(digest);
  } catch (error) {
    await partial.close();
    throw error;
  }
  if ((await digestOf(to.read(digest), signal)) !== digest.slice('sha256:'.length)) throw differs(digest);
}

/** @returns the file's size in bytes */
async function copyFile(from: Files, to: Files, path: FilePath, signal: AbortSignal): Promise<number> {
  const hash = createHash('sha256');
  const writer = await to.create(path);
  let size = 0;
  try {
    for await (const bytes of await streamOf(from, path)) {
      signal.throwIfAborted();
      await writer.write(size, bytes);
      hash.update(bytes);
      size += bytes.length;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  if ((await digestOf(await streamOf(to, path), signal)) !== hash.digest('hex')) throw differs(path);
  return size;
}

async function copyCollection(
  from: Records,
  to: Records,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  let page: { key: string; doc: object }[] = [];
  const original = createHash('sha256');
  const write = async () => {
    if (page.length > 0) await to.write(page.map(({ key, doc }) => ({ collection: name, key, doc })));
    page = [];
  };
  let characters = 0;
  for await (const { key, doc } of recordsOf(from, name)) {
    signal.throwIfAborted();
    page.push({ key, doc });
    count += 1;
    characters += addRecord(original, key, doc);
    if (page.length < PAGE && characters < MAX_CHARACTERS) continue;
    await write();
    characters = 0;
  }
  await write();
  const copy = createHash('sha256');
  for await (const { key, doc } of recordsOf(to, name)) addRecord(copy, key, doc);
  if (copy.digest('hex') !== original.digest('hex')) throw differs(name);
  return count;
}

/** @returns the length of the document */
function addRecord(hash: ReturnType<typeof createHash>, key: string, doc: object): number {
  const json = JSON.stringify(doc);
  hash.update(`${JSON.stringify(key)}\n${json}\n`);
  return json.length;
}

/** All records in the order of their keys, without all of them in memory. */
async function* recordsOf(records: Records, name: string): AsyncIterable<{ key: string; doc: object }> {
  const collection = records.collection(name);
  let last: string | undefined;
  for (;;) {
    // The first one of a later page is the last one of the page before.
    const found = await collection.list({ limit: PAGE + 1, ...(last !== undefined && { from: last }) });
    const page = found.filter(({ key }) => key !== last);
    if (page.length === 0) return;
    yield* page;
    last = page.at(-1)!.key;
  }
}

async function* filesOf(files: Files, folder: FilePath = ''): AsyncIterable<FilePath> {
  for (const { path, kind } of (await files.list(folder)) ?? []) {
    if (kind === 'folder') yield* filesOf(files, path);
    else yield path;
  }
}

async function streamOf(files: Files, path: FilePath): Promise<ReadableStream<Uint8Array>> {
  const body = await files.body(path);
  return body instanceof Blob ? body.stream() : body;
}

async function digestOf(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of stream) {
    signal.throwIfAborted();
    hash.update(bytes);
  }
  return hash.digest('hex');
}

const differs = (what: string): Error => new Error(`the copy of ${what} differs from the original`);
