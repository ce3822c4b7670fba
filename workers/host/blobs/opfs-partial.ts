import type { IHasher } from 'hash-wasm';
import { type BlobInfo, type Digest, DigestMismatch, type PartialBlob, StorageFull } from '#core/host';
import { fileName } from './blob-names.ts';
import { newHasher } from './hasher.ts';
import { storageError } from './storage-full.ts';

/** Writes of this size are the fastest that a file takes. */
const PIECE = 2 ** 20;
/** How long a writer that has just ended may keep the file (milliseconds). */
const HANDLE_PATIENCE = 5_000;

/** `move` is not yet in every browser, nor in TypeScript's library. */
interface Movable {
  move?(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
}

/** Opens a partial whose lock is held; `release` gives the lock back. */
export async function openOpfsPartial(
  partials: FileSystemDirectoryHandle,
  blobs: FileSystemDirectoryHandle,
  name: string,
  release: () => void,
  signal?: AbortSignal,
): Promise<PartialBlob> {
  const file = await partials.getFileHandle(name, { create: true }).catch((error) => {
    throw storageError(error);
  });
  const handle = await exclusively(file, signal);
  try {
    const hasher = await newHasher();
    const size = handle.getSize();
    const buffer = new Uint8Array(Math.min(PIECE, size));
    for (let at = 0; at < size; ) {
      // Hashing gigabytes takes seconds: others get their turn in between, and the wait can be ended.
      if (at % (64 * PIECE) === 0) await new Promise((resolve) => setTimeout(resolve));
      signal?.throwIfAborted();
      const read = handle.read(buffer, { at });
      if (read === 0) throw new Error(`the unfinished download ${name} cannot be read`);
      hasher.update(buffer.subarray(0, read));
      at += read;
    }
    return new OpfsPartial(partials, blobs, file, handle, hasher, size, release);
  } catch (error) {
    handle.close();
    throw error;
  }
}

class OpfsPartial implements PartialBlob {
  #open = true;

  constructor(
    private readonly partials: FileSystemDirectoryHandle,
    private readonly blobs: FileSystemDirectoryHandle,
    private readonly file: FileSystemFileHandle,
    private readonly handle: FileSystemSyncAccessHandle,
    private readonly hasher: IHasher,
    private written: number,
    private readonly release: () => void,
  ) {}

  get size(): number {
    return this.written;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#mustBeOpen();
    for (let offset = 0; offset < bytes.length; ) {
      const piece = bytes.subarray(offset, offset + PIECE);
      let count = 0;
      try {
        count = this.handle.write(piece as Uint8Array<ArrayBuffer>, { at: this.written });
        if (count === 0)
          throw new StorageFull('the storage of this site is full: delete models, or free disk space');
      } catch (error) {
        // What may have been written beyond the hashed bytes is cut off, so that the partial can be resumed.
        try {
          this.handle.truncate(this.written);
        } catch {
          // What stays are bytes of the model all the same.
        }
        throw storageError(error);
      }
      this.hasher.update(piece.subarray(0, count));
      this.written += count;
      offset += count;
    }
  }

  async truncate(): Promise<void> {
    this.#mustBeOpen();
    this.handle.truncate(0);
    this.hasher.init();
    this.written = 0;
  }

  async commit(expected?: Digest): Promise<BlobInfo> {
    this.#mustBeOpen();
    const digest: Digest = `sha256:${this.hasher.digest('hex')}`;
    const info = { digest, size: this.written };
    try {
      if (expected !== undefined && expected !== digest) {
        this.#closeFile();
        await this.partials.removeEntry(this.file.name);
        throw new DigestMismatch(expected, digest);
      }
      this.handle.flush();
      this.#closeFile();
      await moveFile(this.file, this.partials, this.blobs, fileName(digest));
      return info;
    } catch (error) {
      throw storageError(error);
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    this.#closeFile();
    this.release();
  }

  #closeFile(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.handle.flush();
    } catch (error) {
      throw storageError(error);
    } finally {
      this.handle.close();
    }
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new Error('this partial is closed');
  }
}

/** A writable stream on a file shows what was written only when it is closed, all at once: a copy is whole or absent. */
async function moveFile(
  file: FileSystemFileHandle,
  from: FileSystemDirectoryHandle,
  to: FileSystemDirectoryHandle,
  name: string,
): Promise<void> {
  const movable = file as FileSystemFileHandle & Movable;
  if (typeof movable.move === 'function') {
    await movable.move(to, name);
    return;
  }
  const target = await to.getFileHandle(name, { create: true });
  const source = await file.getFile();
  await source.stream().pipeTo(await target.createWritable());
  await from.removeEntry(file.name);
}

/** One handle at a time may write a file; that of a worker which was just ended takes a moment to go. */
async function exclusively(
  file: FileSystemFileHandle,
  signal?: AbortSignal,
): Promise<FileSystemSyncAccessHandle> {
  const deadline = performance.now() + HANDLE_PATIENCE;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      const taken = error instanceof DOMException && error.name === 'NoModificationAllowedError';
      if (!taken || performance.now() > deadline) throw storageError(error);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
