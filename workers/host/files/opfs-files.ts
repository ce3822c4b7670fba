import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type FileWriter,
  PathUnusable,
  pathParts,
  writablePathParts,
} from '#core/host';
import { acquireLock } from '../blobs/partial-lock.ts';
import { storageError } from '../blobs/storage-full.ts';
import { moveHandle } from './move-handle.ts';
import { createFileWriter, UNFINISHED_FOLDER } from './unfinished-file.ts';

/** How often a file is read while others replace it. */
const MAX_READS = 20;
/** Bytes. A larger body is read from the file itself. */
const LARGEST_COPY = 1024 * 1024;

/** Ordinary files in the origin private file system, below `<scope>/files`. */
export class OpfsFiles implements Files {
  private constructor(
    private readonly scope: string,
    private readonly root: FileSystemDirectoryHandle,
  ) {}

  static async open(scope: string): Promise<OpfsFiles> {
    const origin = await navigator.storage.getDirectory();
    const folder = await origin.getDirectoryHandle(scope, { create: true });
    return new OpfsFiles(scope, await folder.getDirectoryHandle('files', { create: true }));
  }

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    if (path === '') return folderInfo('');
    const parent = await this.#parent(path);
    const name = pathParts(path).at(-1)!;
    if (!parent) return undefined;
    try {
      return fileInfo(path, await (await parent.getFileHandle(name)).getFile());
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    return (await this.#folder(path)) ? folderInfo(path) : undefined;
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const folder = await this.#folder(path);
    if (!folder) return undefined;
    const entries: FileInfo[] = [];
    for await (const [name, handle] of folder.entries()) {
      if (path === '' && name === UNFINISHED_FOLDER) continue;
      const entryPath = path === '' ? name : `${path}/${name}`;
      if (handle.kind === 'directory') entries.push(folderInfo(entryPath));
      // Chromium lists the swap files of open writers.
      else if (!name.endsWith('.crswap')) {
        // A file may have been deleted since it was listed.
        const file = await (handle as FileSystemFileHandle).getFile().catch(() => undefined);
        if (file) entries.push(fileInfo(entryPath, file));
      }
    }
    return entries;
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    const folder = await this.#folder(path);
    if (!folder) return undefined;
    const names: string[] = [];
    for await (const name of folder.keys()) if (!name.endsWith('.crswap')) names.push(name);
    return path === '' ? names.filter((name) => name !== UNFINISHED_FOLDER) : names;
  }

  async read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>> {
    const open = () => this.#open(path, start, end);
    return readVersion(await open(), open);
  }

  async body(path: FilePath, start?: number, end?: number): Promise<Blob> {
    const open = () => this.#open(path, start, end);
    const version = await open();
    // The bytes in memory outlive the file. Most files are small.
    return version.size > LARGEST_COPY ? version : new Blob([await readVersion(version, open)]);
  }

  /** The present version of a file. It can be read until the file is replaced or deleted. Rejects with `FileMissing`. */
  async #open(path: FilePath, start?: number, end?: number): Promise<Blob> {
    const parent = await this.#parent(path);
    try {
      const file = await (await parent?.getFileHandle(pathParts(path).at(-1)!))?.getFile();
      if (!file) throw new FileMissing(path);
      return start === undefined && end === undefined ? file : file.slice(start, end);
    } catch (error) {
      if (isAbsent(error)) throw new FileMissing(path);
      throw error;
    }
  }

  async write(path: FilePath, bytes: Uint8Array, { exclusive = false } = {}): Promise<boolean> {
    writablePathParts(path);
    // The lock makes the check and the write atomic, and lets one writer at a time pass.
    const release = await acquireLock(`tabd:file:${this.scope}:${path}`);
    try {
      if (exclusive && (await this.stat(path))) return false;
      const parent = (await this.#parent(path, true))!;
      const handle = await parent.getFileHandle(pathParts(path).at(-1)!, { create: true });
      const writer = await handle.createWritable();
      await writer.write(bytes as Uint8Array<ArrayBuffer>);
      await writer.close();
      return true;
    } catch (error) {
      throw writeError(error, path);
    } finally {
      release();
    }
  }

  async create(path: FilePath): Promise<FileWriter> {
    writablePathParts(path);
    const destination = async () => {
      try {
        const parent = (await this.#parent(path, true))!;
        const name = pathParts(path).at(-1)!;
        // Throws if a folder of this name exists.
        await parent.getFileHandle(name).catch((error: unknown) => {
          if (!(error instanceof DOMException && error.name === 'NotFoundError')) throw error;
        });
        return { parent, name };
      } catch (error) {
        throw writeError(error, path);
      }
    };
    return createFileWriter(this.root, this.scope, destination);
  }

  async makeFolder(path: FilePath): Promise<void> {
    writablePathParts(path);
    try {
      await this.#folder(path, true);
    } catch (error) {
      throw writeError(error, path);
    }
  }

  async delete(path: FilePath): Promise<boolean> {
    const parent = await this.#parent(path);
    try {
      if (!parent) return false;
      await parent.removeEntry(pathParts(path).at(-1)!, { recursive: true });
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  async move(from: FilePath, to: FilePath): Promise<void> {
    writablePathParts(to);
    const folder = await this.#parent(from);
    const handle = await folder?.getFileHandle(pathParts(from).at(-1)!).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
    if (!folder || !handle) throw new FileMissing(from);
    if (from === to) return;
    // Waits for a writer of the new name.
    const release = await acquireLock(`tabd:file:${this.scope}:${to}`);
    try {
      const parent = (await this.#parent(to, true))!;
      const name = pathParts(to).at(-1)!;
      if ((await this.stat(to))?.kind === 'folder') throw new PathUnusable(to);
      await moveHandle(handle, folder, parent, name);
    } catch (error) {
      throw writeError(error, to);
    } finally {
      release();
    }
  }

  #parent(path: FilePath, create = false): Promise<FileSystemDirectoryHandle | undefined> {
    return this.#walk(pathParts(path).slice(0, -1), create);
  }

  #folder(path: FilePath, create = false): Promise<FileSystemDirectoryHandle | undefined> {
    return this.#walk(path === '' ? [] : pathParts(path), create);
  }

  async #walk(parts: string[], create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
    let folder = this.root;
    try {
      for (const part of parts) folder = await folder.getDirectoryHandle(part, { create });
      return folder;
    } catch (error) {
      if (!create && isAbsent(error)) return undefined;
      throw error;
    }
  }
}

function fileInfo(path: FilePath, file: File): FileInfo {
  // Browsers do not report when a file was created.
  const time = file.lastModified;
  return { path, kind: 'file', size: file.size, modifiedAt: time, createdAt: time };
}

function folderInfo(path: FilePath): FileInfo {
  return { path, kind: 'folder', size: 0, modifiedAt: 0, createdAt: 0 };
}

/**
 * The core's error for a failed write. Browsers report a folder in place of a file, or vice versa, as a wrong type. For
 * a name that they do not take, they throw a `TypeError`.
 */
function writeError(error: unknown, path: FilePath): unknown {
  const isUnusable =
    error instanceof TypeError || (error instanceof DOMException && error.name === 'TypeMismatchError');
  return isUnusable ? new PathUnusable(path) : storageError(error);
}

/** Whether an entry does not exist, or is a folder in place of a file or the other way round. */
function isAbsent(error: unknown): boolean {
  return error instanceof DOMException && /^(NotFoundError|TypeMismatchError)$/.test(error.name);
}

/** @param open opens a later version, for a browser reads none that was replaced or deleted meanwhile */
async function readVersion(version: Blob, open: () => Promise<Blob>): Promise<Uint8Array<ArrayBuffer>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return new Uint8Array(await version.arrayBuffer());
    } catch (error) {
      if (!isOutdated(error) || attempt === MAX_READS) throw error;
    }
    version = await open();
  }
}

/** Whether a version of a file can be read no more, because the file was replaced or deleted. */
function isOutdated(error: unknown): boolean {
  return error instanceof DOMException && /^(NotFoundError|NotReadableError)$/.test(error.name);
}
