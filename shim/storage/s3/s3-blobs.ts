import { join } from 'node:path';
import { type BlobInfo, BlobMissing, blobFileName, type Digest, type PartialBlob } from '#core/host';
import type { FileBlobs, LocatedBlobs } from '../file-blobs.ts';
import type { LocalCache } from './local-cache.ts';
import type { S3Object, S3Objects } from './s3-objects.ts';

/** The folder of the keys. */
const ROOT = 'blobs/';

/**
 * Stores blobs as objects of a bucket. Partials are local files: a download that one worker has begun is continued by
 * that worker. The complete blob is uploaded, and its local file becomes a copy in the cache.
 */
export class S3Blobs implements LocatedBlobs {
  /** @param local the store of partials, next to the cache */
  constructor(
    private readonly objects: S3Objects,
    private readonly local: FileBlobs,
    private readonly cache: LocalCache,
  ) {}

  /** The path of a local copy, for engines that map the file themselves. Rejects with `BlobMissing`. */
  async pathOf(digest: Digest): Promise<string> {
    const name = cacheName(digest);
    const found = await this.cache.find(name);
    if (found) return found;
    const object = await this.#head(digest);
    if (!object) throw new BlobMissing(digest);
    return this.cache.get(name, object.size, () => this.objects.stream(object));
  }

  async stat(digest: Digest): Promise<BlobInfo | undefined> {
    const object = await this.#head(digest);
    return object && { digest, size: object.size };
  }

  async list(): Promise<BlobInfo[]> {
    const { objects } = await this.objects.list(`${ROOT}sha256-`);
    return objects.flatMap(({ key, size }): BlobInfo[] => {
      const hex = /sha256-([0-9a-f]{64})$/.exec(key)?.[1];
      return hex === undefined ? [] : [{ digest: `sha256:${hex}`, size }];
    });
  }

  read(digest: Digest, start?: number, end?: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          if (!reader) {
            const object = await this.#head(digest);
            if (!object) throw new BlobMissing(digest);
            reader = this.objects.stream(object, start, end).getReader();
          }
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader?.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  async delete(digest: Digest): Promise<boolean> {
    const found = await this.#head(digest);
    if (found) await this.objects.delete(found.key);
    await this.cache.remove(cacheName(digest));
    return found !== undefined;
  }

  async openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob> {
    const partial = await this.local.openPartial(key, signal);
    return {
      get size() {
        return partial.size;
      },
      append: (bytes) => partial.append(bytes),
      truncate: () => partial.truncate(),
      close: () => partial.close(),
      commit: async (expected) => {
        const info = await partial.commit(expected);
        await this.#share(info);
        return info;
      },
    };
  }

  deletePartial(key: string, signal?: AbortSignal): Promise<void> {
    return this.local.deletePartial(key, signal);
  }

  /** A bucket has no limit that it reports. Downloads need room on this disk. */
  freeSpace(): Promise<number | undefined> {
    return this.local.freeSpace();
  }

  async #share({ digest, size }: BlobInfo): Promise<void> {
    const path = this.local.pathOf(digest);
    try {
      if (!(await this.#head(digest))) await this.objects.putFile(ROOT + blobFileName(digest), path);
      // A blob that is larger than the cache only has its place in the bucket.
      await this.cache.add(cacheName(digest), path, size).catch(() => {});
    } finally {
      await this.local.delete(digest);
    }
  }

  #head(digest: Digest): Promise<S3Object | undefined> {
    return this.objects.head(ROOT + blobFileName(digest));
  }
}

const cacheName = (digest: Digest): string => join('blobs', blobFileName(digest));
