import type { IHasher } from 'hash-wasm';
import {
  type BlobInfo,
  blobFileName,
  type Digest,
  DigestMismatch,
  type PartialBlob,
  StorageFull,
} from '#core/host';
import { moveHandle } from '../files/move-handle.ts';
import { newHasher } from './hasher.ts';
import { storageError } from './storage-full.ts';

/** Bytes. Writes of this size are the fastest. */
const CHUNK_SIZE = 2 ** 20;
/** Milliseconds to wait for the file, which a writer that has just ended may still hold. */
const HANDLE_TIMEOUT = 5_000;

/**
 * Opens a partial and hashes its stored bytes. The caller holds the partial's lock.
 * @param release releases that lock; called on `commit` and `close`
 */
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
  const handle = await openExclusively(file, signal);
  try {
    const hasher = await newHasher();
    const size = handle.getSize();
    const buffer = new Uint8Array(Math.min(CHUNK_SIZE, size));
    for (let at = 0; at < size; ) {
      // Hashing gigabytes takes seconds. Other events are handled in between, such as an abort.
      if (at % (64 * CHUNK_SIZE) === 0) await new Promise((resolve) => setTimeout(resolve));
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
  #isOpen = true;

  constructor(
    private readonly partials: FileSystemDirectoryHandle,
    private readonly blobs: FileSystemDirectoryHandle,
    private readonly file: FileSystemFileHandle,
    private readonly handle: FileSystemSyncAccessHandle,
    private readonly hasher: IHasher,
    private writtenBytes: number,
    private readonly release: () => void,
  ) {}

  get size(): number {
    return this.writtenBytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#requireOpen();
    for (let offset = 0; offset < bytes.length; ) {
      const chunk = bytes.subarray(offset, offset + CHUNK_SIZE);
      let count = 0;
      try {
        count = this.handle.write(chunk as Uint8Array<ArrayBuffer>, { at: this.writtenBytes });
        if (count === 0)
          throw new StorageFull('the storage of this site is full: delete models, or free disk space');
      } catch (error) {
        // Bytes behind the hashed ones are cut off, so that the partial can be resumed.
        try {
          this.handle.truncate(this.writtenBytes);
        } catch {
          // The bytes after the hashed ones stay in the file. They belong to the model as well.
        }
        throw storageError(error);
      }
      this.hasher.update(chunk.subarray(0, count));
      this.writtenBytes += count;
      offset += count;
    }
  }

  async truncate(): Promise<void> {
    this.#requireOpen();
    this.handle.truncate(0);
    this.hasher.init();
    this.writtenBytes = 0;
  }

  async commit(expected?: Digest): Promise<BlobInfo> {
    this.#requireOpen();
    const digest: Digest = `sha256:${this.hasher.digest('hex')}`;
    const info = { digest, size: this.writtenBytes };
    try {
      if (expected !== undefined && expected !== digest) {
        this.#closeFile();
        await this.partials.removeEntry(this.file.name);
        throw new DigestMismatch(expected, digest);
      }
      this.handle.flush();
      this.#closeFile();
      await moveHandle(this.file, this.partials, this.blobs, blobFileName(digest));
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
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.handle.flush();
    } catch (error) {
      throw storageError(error);
    } finally {
      this.handle.close();
    }
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('this partial is closed');
  }
}

/** Opens the only handle of a file. Waits for the handle of a worker that was just terminated. */
async function openExclusively(
  file: FileSystemFileHandle,
  signal?: AbortSignal,
): Promise<FileSystemSyncAccessHandle> {
  const deadline = performance.now() + HANDLE_TIMEOUT;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      const isInUse = error instanceof DOMException && error.name === 'NoModificationAllowedError';
      if (!isInUse || performance.now() > deadline) throw storageError(error);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
