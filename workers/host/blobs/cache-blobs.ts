import { type BlobInfo, BlobMissing, type Digest, type PartialBlob } from '#core/host';
import { partialName } from './blob-names.ts';
import { type BrowserBlobs, streamBlob } from './browser-blobs.ts';
import { CacheFolder, type PieceManifest } from './cache-folder.ts';
import { openCachePartial } from './cache-partial.ts';
import { acquireLock } from './partial-lock.ts';
import { freeSpace } from './storage-full.ts';

/**
 * Blobs in the Cache API, for browsers without the origin private file system. A blob is stored in pieces. A list of its
 * pieces is written last, so a complete download needs no copy.
 */
export class CacheBlobs implements BrowserBlobs {
  private constructor(
    private readonly scope: string,
    private readonly folder: CacheFolder,
  ) {}

  static async open(scope: string): Promise<CacheBlobs> {
    return new CacheBlobs(scope, new CacheFolder(await caches.open(`${scope}-blobs`)));
  }

  async stat(digest: Digest): Promise<BlobInfo | undefined> {
    const manifest = await this.folder.manifest(digest);
    return manifest && { digest, size: manifest.size };
  }

  async list(): Promise<BlobInfo[]> {
    const blobs: BlobInfo[] = [];
    for (const digest of await this.folder.digests()) {
      const info = await this.stat(digest);
      if (info) blobs.push(info);
    }
    return blobs;
  }

  read(digest: Digest, start?: number, end?: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    return streamBlob(digest, (key) => this.fileOf(key), start, end);
  }

  async delete(digest: Digest): Promise<boolean> {
    const manifest = await this.folder.manifest(digest);
    if (!manifest) return false;
    // The list is deleted first, so that no blob exists in part.
    await this.folder.deleteManifest(digest);
    await this.folder.deletePieces(manifest);
    return true;
  }

  async openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob> {
    const name = await partialName(key);
    const release = await acquireLock(`tabd:partial:${this.scope}:${name}`, signal);
    try {
      return await openCachePartial(this.folder, name, release, signal);
    } catch (error) {
      release();
      throw error;
    }
  }

  async deletePartial(key: string, signal?: AbortSignal): Promise<void> {
    const name = await partialName(key);
    const release = await acquireLock(`tabd:partial:${this.scope}:${name}`, signal);
    try {
      const set = await this.folder.partialSet(name);
      if (set === undefined) return;
      await this.folder.deletePartial(name);
      await this.folder.deleteSet(set);
    } finally {
      release();
    }
  }

  freeSpace(): Promise<number | undefined> {
    return freeSpace();
  }

  async fileOf(digest: Digest): Promise<Blob> {
    const manifest = await this.folder.manifest(digest);
    const file = manifest && (await this.#join(manifest));
    if (!file) throw new BlobMissing(digest);
    return file;
  }

  async #join(manifest: PieceManifest): Promise<Blob | undefined> {
    const pieces: Blob[] = [];
    for (let index = 0; index < manifest.pieces; index++) {
      const piece = await this.folder.piece(manifest.set, index);
      if (!piece) return undefined;
      pieces.push(piece);
    }
    return new Blob(pieces);
  }
}
