import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type FileWriter,
  PathUnusable,
  pathParts,
  StorageFull,
} from '#core/host';
import { isDiskFullError } from '../base/full-disk.ts';
import { makeFolders } from '../base/make-folders.ts';
import { readBytes } from '../base/read-bytes.ts';

/** A folder for incomplete files. It is never listed. */
const UNFINISHED_FOLDER = '.unfinished';

/** The number of bytes after which written data are synced, so that the last sync of a large file is short. */
const SYNC_EVERY = 128 * 2 ** 20;

/** Stores `Host.files` as ordinary files in one folder. */
export class DiskFiles implements Files {
  constructor(readonly root: string) {}

  /** The folder of incomplete files. It may be missing. */
  get unfinishedFolder(): string {
    return join(this.root, UNFINISHED_FOLDER);
  }

  /** Deletes incomplete files of a process that ended. Must not run while another process writes here. */
  async removeUnfinished(): Promise<void> {
    await rm(this.unfinishedFolder, { recursive: true, force: true });
  }

  /** The path on disk, for engines that open files by path. */
  pathOf(path: FilePath): string {
    return path === '' ? this.root : join(this.root, ...pathParts(path));
  }

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    try {
      const found = await stat(this.pathOf(path), { bigint: true });
      if (!found.isFile() && !found.isDirectory()) return undefined;
      const kind = found.isFile() ? 'file' : 'folder';
      return {
        path,
        kind,
        size: kind === 'file' ? Number(found.size) : 0,
        modifiedAt: Number(found.mtimeNs) / 1e6,
        createdAt: Number(found.birthtimeNs) / 1e6,
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const names = await this.names(path);
    if (!names) return undefined;
    const found = await Promise.all(names.map((name) => this.stat(path === '' ? name : `${path}/${name}`)));
    return found.filter((info) => info !== undefined);
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    try {
      const names = await readdir(this.pathOf(path));
      return names.filter((name) => (path !== '' || name !== UNFINISHED_FOLDER) && !name.includes('\\'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async read(path: FilePath, start = 0, end = Number.POSITIVE_INFINITY): Promise<Uint8Array<ArrayBuffer>> {
    const file = await openFile(this.pathOf(path), path);
    try {
      const size = (await file.stat()).size;
      return await readBytes(file, start, Math.max(start, Math.min(end, size)));
    } finally {
      await file.close();
    }
  }

  async body(
    path: FilePath,
    start = 0,
    end = Number.POSITIVE_INFINITY,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | Blob> {
    // Most files are small, and faster to read at once than as a stream.
    const info = await this.stat(path);
    if (info?.kind !== 'file') throw new FileMissing(path);
    if (Math.min(end, info.size) - start <= 1024 * 1024) return new Blob([await this.read(path, start, end)]);
    const file = createReadStream(this.pathOf(path), { start, end: Math.min(end, info.size) - 1 });
    return Readable.toWeb(file) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  }

  async write(path: FilePath, bytes: Uint8Array, { exclusive = false } = {}): Promise<boolean> {
    const place = this.pathOf(path);
    const temporary = join(this.unfinishedFolder, randomUUID());
    try {
      await withParentFolder(temporary, () => writeSynced(temporary, bytes));
      if (!exclusive) {
        await withParentFolder(place, () => rename(temporary, place));
        return true;
      }
      const written = await withParentFolder(place, () => linkUnlessTaken(temporary, place));
      await rm(temporary, { force: true });
      return written;
    } catch (error) {
      // A disk that fails may not delete either. The next start does.
      await rm(temporary, { force: true }).catch(() => {});
      throw storageError(error, path);
    }
  }

  async create(path: FilePath): Promise<FileWriter> {
    const place = this.pathOf(path);
    const temporary = join(this.unfinishedFolder, randomUUID());
    const file = await withParentFolder(temporary, () => open(temporary, 'wx'));
    let unsynced = 0;
    // Closing a handle twice is harmless.
    return {
      async write(start, bytes) {
        try {
          let at = 0;
          while (at < bytes.length)
            at += (await file.write(bytes, at, bytes.length - at, start + at)).bytesWritten;
          unsynced += bytes.length;
          if (unsynced < SYNC_EVERY) return;
          unsynced = 0;
          await file.datasync();
        } catch (error) {
          throw storageError(error, path);
        }
      },
      async close() {
        try {
          await file.sync();
          await file.close();
          await withParentFolder(place, () => rename(temporary, place));
        } catch (error) {
          throw storageError(error, path);
        }
      },
      async abort() {
        await file.close();
        await rm(temporary, { force: true });
      },
    };
  }

  async makeFolder(path: FilePath): Promise<void> {
    try {
      await makeFolders(this.pathOf(path));
    } catch (error) {
      throw storageError(error, path);
    }
  }

  async delete(path: FilePath): Promise<boolean> {
    if ((await this.stat(path)) === undefined) return false;
    await rm(this.pathOf(path), { recursive: true, force: true });
    return true;
  }

  async move(from: FilePath, to: FilePath): Promise<void> {
    if ((await this.stat(from)) === undefined) throw new FileMissing(from);
    const place = this.pathOf(to);
    try {
      await withParentFolder(place, () => rename(this.pathOf(from), place));
    } catch (error) {
      throw storageError(error, to);
    }
  }
}

/** Without the sync, a power failure could leave an empty file under the name that it gets next. */
async function writeSynced(place: string, bytes: Uint8Array): Promise<void> {
  const file = await open(place, 'wx');
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Gives a file a second name. Returns false when the name is taken. */
async function linkUnlessTaken(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Runs `act`. If its folder is missing, creates the folder and runs `act` again. */
async function withParentFolder<T>(place: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolders(dirname(place));
    return act();
  }
}

async function openFile(place: string, path: FilePath) {
  try {
    return await open(place, 'r');
  } catch (error) {
    if (isMissing(error)) throw new FileMissing(path);
    throw error;
  }
}

/** Whether a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}

/** The core's error for a failed write. Its message never shows where the home of tabd lies. */
function storageError(error: unknown, path: FilePath): unknown {
  if (isDiskFullError(error))
    return new StorageFull(
      `no space left for ${path}: delete old output, or set TABD_HOME to a larger disk`,
      {
        cause: error,
      },
    );
  const { code = '' } = error as NodeJS.ErrnoException;
  return UNUSABLE_CODES.has(code) ? new PathUnusable(path) : error;
}

/** The codes of the operating system for a path that cannot be created. */
const UNUSABLE_CODES = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENAMETOOLONG']);
