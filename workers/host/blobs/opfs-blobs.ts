import { type BlobInfo, BlobMissing, blobFileName, type Digest, type PartialBlob } from '#core/host';
import { digestOfFileName, EMPTY_DIGEST, partialName } from './blob-names.ts';
import { type BrowserBlobs, streamBlob } from './browser-blobs.ts';
import { openOpfsPartial } from './opfs-partial.ts';
import { acquireLock } from './partial-lock.ts';
import { freeSpace } from './storage-full.ts';

/** Whether this worker has the origin private file system with synchronous access. */
export function hasOpfs(): boolean {
  return (
    typeof navigator.storage?.getDirectory === 'function' &&
    typeof FileSystemFileHandle !== 'undefined' &&
    'createSyncAccessHandle' in FileSystemFileHandle.prototype
  );
}

/** Blobs in the origin private file system: `<scope>/blobs/sha256-<hex>`. Partials are in `<scope>/partials`. */
export class OpfsBlobs implements BrowserBlobs {
  private constructor(
    private readonly scope: string,
    private readonly blobs: FileSystemDirectoryHandle,
    private readonly partials: FileSystemDirectoryHandle,
  ) {}

  /** Rejects where the browser has the interface without storage, as some private windows do. */
  static async open(scope: string): Promise<OpfsBlobs> {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(scope, { create: true });
    return new OpfsBlobs(
      scope,
      await folder.getDirectoryHandle('blobs', { create: true }),
      await folder.getDirectoryHandle('partials', { create: true }),
    );
  }

  async stat(digest: Digest): Promise<BlobInfo | undefined> {
    const file = await this.#find(digest);
    return file && { digest, size: file.size };
  }

  async list(): Promise<BlobInfo[]> {
    const blobs: BlobInfo[] = [];
    for await (const name of this.blobs.keys()) {
      const digest = digestOfFileName(name);
      const info = digest && (await this.stat(digest));
      if (info) blobs.push(info);
    }
    return blobs;
  }

  read(digest: Digest, start?: number, end?: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    return streamBlob(digest, (key) => this.fileOf(key), start, end);
  }

  async delete(digest: Digest): Promise<boolean> {
    if (!(await this.#find(digest))) return false;
    try {
      await this.blobs.removeEntry(blobFileName(digest));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob> {
    const name = `${await partialName(key)}.partial`;
    const release = await acquireLock(`tabd:partial:${this.scope}:${name}`, signal);
    try {
      return await openOpfsPartial(this.partials, this.blobs, name, release, signal);
    } catch (error) {
      release();
      throw error;
    }
  }

  async deletePartial(key: string, signal?: AbortSignal): Promise<void> {
    const name = `${await partialName(key)}.partial`;
    const release = await acquireLock(`tabd:partial:${this.scope}:${name}`, signal);
    try {
      await this.partials.removeEntry(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    } finally {
      release();
    }
  }

  freeSpace(): Promise<number | undefined> {
    return freeSpace();
  }

  async fileOf(digest: Digest): Promise<File> {
    const file = await this.#find(digest);
    if (!file) throw new BlobMissing(digest);
    return file;
  }

  async #find(digest: Digest): Promise<File | undefined> {
    try {
      const handle = await this.blobs.getFileHandle(blobFileName(digest));
      const file = await handle.getFile();
      // A copy that was interrupted leaves an empty file.
      return file.size === 0 && digest !== EMPTY_DIGEST ? undefined : file;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}
