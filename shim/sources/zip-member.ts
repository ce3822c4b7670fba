import { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

/** One file of a ZIP archive, read without unpacking the rest. */
export interface ZipMember {
  size: number;
  /** The bytes from `offset` on. A compressed member is decompressed from its beginning. */
  open(offset: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** Undefined if the archive has no such member. Rejects if the file is not a readable ZIP archive. */
export async function zipMember(archive: string, path: string): Promise<ZipMember | undefined> {
  const found = await withEntry(archive, path, async (_zip, entry) => entry.uncompressedSize);
  if (found === undefined) return undefined;
  return {
    size: found,
    async open(offset, signal) {
      signal.throwIfAborted();
      const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
      try {
        const entry = await findEntry(zip, path);
        if (!entry) throw new Error(`${path} is no longer in ${archive}`);
        const bytes = await zip.openReadStreamPromise(entry);
        bytes.once('close', () => zip.close());
        signal.addEventListener('abort', () => bytes.destroy(signal.reason), { once: true });
        const rest = offset === 0 ? bytes : Readable.from(skip(bytes, offset), { objectMode: false });
        return Readable.toWeb(rest) as ReadableStream<Uint8Array>;
      } catch (error) {
        zip.close();
        throw error;
      }
    },
  };
}

/** The text of the first member that `matches`. Undefined if there is none. */
export async function zipText(
  archive: string,
  matches: (path: string) => boolean,
): Promise<string | undefined> {
  return await withEntry(archive, matches, async (zip, entry) => {
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    return Buffer.concat(parts).toString('utf8');
  });
}

async function withEntry<T>(
  archive: string,
  path: string | ((path: string) => boolean),
  use: (zip: ZipFile, entry: Entry) => Promise<T>,
): Promise<T | undefined> {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
  try {
    const entry = await findEntry(zip, path);
    return entry && (await use(zip, entry));
  } finally {
    zip.close();
  }
}

async function findEntry(
  zip: ZipFile,
  path: string | ((path: string) => boolean),
): Promise<Entry | undefined> {
  const matches = typeof path === 'string' ? (name: string) => name === path : path;
  for await (const entry of zip.eachEntry()) {
    if (matches(entry.fileName)) return entry;
  }
  return undefined;
}

async function* skip(bytes: AsyncIterable<Buffer>, offset: number): AsyncGenerator<Buffer> {
  let left = offset;
  for await (const part of bytes) {
    if (left >= part.length) {
      left -= part.length;
      continue;
    }
    yield left === 0 ? part : part.subarray(left);
    left = 0;
  }
}
