import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type FileWriter,
  PathUnusable,
  pathParts,
  StorageFull,
  writablePathParts,
} from '#core/host';
import { isDiskFullError } from '../../base/full-disk.ts';
import type { LocatedFiles } from '../mounted-files.ts';
import type { LocalCache } from './local-cache.ts';
import type { S3Object, S3Objects } from './s3-objects.ts';

/** The folder of the keys. */
const ROOT = 'files/';
/** Larger bodies are streams. */
const LARGEST_BLOB = 2 ** 20;
/** Requests at the same time when a folder is deleted or moved. */
const AT_ONCE = 16;

/**
 * Stores `Host.files` as objects of a bucket. A folder exists while something lies in it. One that `makeFolder` has created
 * is an empty object with a slash at the end of its name. Moving a folder moves one file after another.
 */
export class S3Files implements LocatedFiles {
  /** @param scratch a local folder for files that are written in parts */
  constructor(
    private readonly objects: S3Objects,
    private readonly cache: LocalCache,
    private readonly scratch: string,
  ) {}

  /** The path of a local copy, for engines that open files by path. Rejects with `FileMissing`. */
  async pathOf(path: FilePath): Promise<string> {
    const object = await this.objects.head(keyOf(path));
    if (!object) throw new FileMissing(path);
    const version = createHash('sha256').update(`${object.key} ${object.etag}`).digest('hex').slice(0, 32);
    return this.cache.get(join('files', version, basename(path)), object.size, () =>
      this.objects.stream(object),
    );
  }

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    const key = keyOf(path);
    const object = path === '' ? undefined : await this.objects.head(key);
    if (object) return fileInfo(path, object);
    return path === '' || (await this.#isFolder(key)) ? folderInfo(path) : undefined;
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const folder = path === '' ? ROOT : `${keyOf(path)}/`;
    const { objects, folders } = await this.objects.list(folder, { direct: true });
    if (path !== '' && objects.length + folders.length === 0) return undefined;
    return [
      ...objects
        .filter(({ key }) => key !== folder)
        .map((object) => fileInfo(object.key.slice(ROOT.length), object)),
      ...folders.map((key) => folderInfo(key.slice(ROOT.length, -1))),
    ];
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    return (await this.list(path))?.map((info) => basename(info.path));
  }

  async read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.objects.get(keyOf(path), start, end);
    if (!bytes) throw new FileMissing(path);
    return bytes;
  }

  async body(
    path: FilePath,
    start = 0,
    end = Number.POSITIVE_INFINITY,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | Blob> {
    const object = await this.objects.head(keyOf(path));
    if (!object) throw new FileMissing(path);
    if (Math.min(end, object.size) - start > LARGEST_BLOB) return this.objects.stream(object, start, end);
    return new Blob([await this.read(path, start, end)]);
  }

  async write(path: FilePath, bytes: Uint8Array, { exclusive = false } = {}): Promise<boolean> {
    const key = await this.#writableKey(path);
    return this.objects.put(key, bytes as Uint8Array<ArrayBuffer>, exclusive);
  }

  async create(path: FilePath): Promise<FileWriter> {
    pathParts(path);
    await mkdir(this.scratch, { recursive: true });
    const temporary = join(this.scratch, randomUUID());
    const file = await open(temporary, 'wx');
    // Closing a handle twice is harmless.
    return {
      write: async (start, bytes) => {
        try {
          for (let at = 0; at < bytes.length; )
            at += (await file.write(bytes, at, bytes.length - at, start + at)).bytesWritten;
        } catch (error) {
          if (!isDiskFullError(error)) throw error;
          throw new StorageFull(`no space left for ${path} before its upload`, { cause: error });
        }
      },
      close: async () => {
        await file.close();
        await this.objects.putFile(await this.#writableKey(path), temporary);
        await rm(temporary, { force: true });
      },
      abort: async () => {
        await file.close();
        await rm(temporary, { force: true });
      },
    };
  }

  async makeFolder(path: FilePath): Promise<void> {
    if (path === '') return;
    const key = await this.#writableKey(path, 'folder');
    await this.objects.put(`${key}/`, new Uint8Array());
  }

  async delete(path: FilePath): Promise<boolean> {
    const key = keyOf(path);
    if (path !== '' && (await this.objects.head(key))) {
      await this.objects.delete(key);
      return true;
    }
    const { objects } = await this.objects.list(path === '' ? ROOT : `${key}/`);
    await forEach(objects, (object) => this.objects.delete(object.key));
    return objects.length > 0;
  }

  async move(from: FilePath, to: FilePath): Promise<void> {
    const [source, target] = [keyOf(from), await this.#writableKey(to, 'any')];
    if (source === target) return;
    const file = await this.objects.head(source);
    const { objects } = file ? { objects: [file] } : await this.objects.list(`${source}/`);
    if (objects.length === 0) throw new FileMissing(from);
    const isTaken = file ? await this.#isFolder(target) : (await this.stat(to)) !== undefined;
    if (isTaken || `${target}/`.startsWith(`${source}/`)) throw new PathUnusable(to);
    await forEach(objects, (object) => this.objects.copy(object, target + object.key.slice(source.length)));
    await forEach(objects, (object) => this.objects.delete(object.key));
  }

  /** @param kind what shall lie there. `any`: the caller checks the place itself */
  async #writableKey(path: FilePath, kind: 'file' | 'folder' | 'any' = 'file'): Promise<string> {
    const parts = writablePathParts(path);
    const key = keyOf(path);
    // S3 itself would store a file below a file.
    const above = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('/'));
    const checked = kind === 'folder' ? [...above, path] : above;
    const [files, isFolder] = await Promise.all([
      Promise.all(checked.map((each) => this.objects.head(keyOf(each)))),
      kind === 'file' ? this.#isFolder(key) : false,
    ]);
    if (isFolder || files.some((found) => found)) throw new PathUnusable(path);
    return key;
  }

  async #isFolder(key: string): Promise<boolean> {
    const { objects } = await this.objects.list(`${key}/`, { limit: 1 });
    return objects.length > 0;
  }
}

const keyOf = (path: FilePath): string => ROOT + (path === '' ? '' : pathParts(path).join('/'));

const fileInfo = (path: FilePath, { size, modifiedAt }: S3Object): FileInfo => ({
  path,
  kind: 'file',
  size,
  modifiedAt,
  createdAt: modifiedAt,
});

const folderInfo = (path: FilePath): FileInfo => ({
  path,
  kind: 'folder',
  size: 0,
  modifiedAt: 0,
  createdAt: 0,
});

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < items.length) await work(items[next++]!);
    }),
  );
}
