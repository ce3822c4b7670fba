import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type BlobInfo, type Digest, DigestMismatch, type PartialBlob, StorageFull } from '#core/host';
import { isDiskFullError } from '../base/full-disk.ts';

const PIECE = 1024 * 1024;

/** An incomplete blob. Its size and hash always cover the same bytes, also after a failed write. */
export class PartialFile implements PartialBlob {
  #hash: Hash;
  #size: number;
  #closed = false;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly finalPath: (digest: Digest) => string,
    private readonly unlock: () => void,
    hash: Hash,
    size: number,
  ) {
    this.#hash = hash;
    this.#size = size;
  }

  /** Opens or creates the file and hashes its content. Aborting `signal` rejects and keeps the file. */
  static async open(
    path: string,
    finalPath: (digest: Digest) => string,
    unlock: () => void,
    signal?: AbortSignal,
  ): Promise<PartialFile> {
    const file = await open(path, 'a+').then(async (created) => {
      await created.close();
      return open(path, 'r+');
    });
    try {
      const hash = createHash('sha256');
      const piece = new Uint8Array(PIECE);
      let size = 0;
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await file.read(piece, 0, PIECE, size);
        if (bytesRead === 0) break;
        hash.update(piece.subarray(0, bytesRead));
        size += bytesRead;
      }
      return new PartialFile(path, file, finalPath, unlock, hash, size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#requireOpen();
    let written = 0;
    while (written < bytes.length) {
      let bytesWritten: number;
      try {
        bytesWritten = (await this.file.write(bytes, written, bytes.length - written, this.#size))
          .bytesWritten;
      } catch (error) {
        throw asStorageFull(error);
      }
      this.#hash.update(bytes.subarray(written, written + bytesWritten));
      written += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  async truncate(): Promise<void> {
    this.#requireOpen();
    await this.file.truncate(0);
    this.#hash = createHash('sha256');
    this.#size = 0;
  }

  async commit(expected?: Digest): Promise<BlobInfo> {
    this.#requireOpen();
    const digest: Digest = `sha256:${this.#hash.copy().digest('hex')}`;
    if (expected !== undefined && expected !== digest) {
      await this.#end(() => rm(this.path, { force: true }));
      throw new DigestMismatch(expected, digest);
    }
    try {
      await this.file.sync();
    } catch (error) {
      throw asStorageFull(error);
    }
    await this.#end(async () => {
      await rename(this.path, this.finalPath(digest));
      await syncFolder(dirname(this.path));
    });
    return { digest, size: this.#size };
  }

  async close(): Promise<void> {
    if (!this.#closed) await this.#end(async () => {});
  }

  /** Closes the file, runs `finish`, and unlocks the key in every case. Rejects with `StorageFull` on a full disk. */
  async #end(finish: () => Promise<void>): Promise<void> {
    this.#closed = true;
    try {
      await this.file.close();
      await finish();
    } catch (error) {
      throw asStorageFull(error);
    } finally {
      this.unlock();
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw new Error(`${this.path} is closed`);
  }
}

function asStorageFull(error: unknown): unknown {
  // EFBIG: the file system holds no file of that size.
  const isTooLarge = (error as NodeJS.ErrnoException).code === 'EFBIG';
  if (!isDiskFullError(error) && !isTooLarge) return error;
  return new StorageFull(
    'no space left for models. Free some space or set TABD_HOME to a larger disk; the download can be continued then.',
    { cause: error },
  );
}

/** Makes a rename durable. Windows neither has nor needs this call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
