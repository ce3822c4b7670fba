import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, read as readDescriptor } from 'node:fs';
import { link, readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { KeyedMutex } from '#core/base';
import { type BlobInfo, BlobMissing, type Blobs, type Digest, type PartialBlob } from '#core/host';
import { PartialFile } from './partial-file.ts';

/** A store of blobs that engines can open by path. */
export interface LocatedBlobs extends Blobs {
  /** The path on this computer. Blobs that lie elsewhere are copied first. */
  pathOf(digest: Digest): string | Promise<string>;
}

const PIECE = 1024 * 1024;
const readAt = promisify(readDescriptor);

/**
 * Stores blobs as files `sha256-<hex>` in one folder, and partial ones as `*.partial`. Missing blobs are
 * looked up in a second folder, which is never written.
 */
export class FileBlobs implements Blobs {
  readonly #locks = new KeyedMutex();

  /** @param partials the folder of partials, on the same disk. Default: that of the blobs */
  constructor(
    private readonly folder: string,
    private readonly readOnlyFolder?: string,
    private readonly partials = folder,
  ) {
    mkdirSync(folder, { recursive: true });
    mkdirSync(partials, { recursive: true });
  }

  /** The path of a stored blob, for engines that map the file themselves. */
  pathOf(digest: Digest): string {
    const own = this.#ownPath(digest);
    if (this.readOnlyFolder === undefined || existsSync(own)) return own;
    const other = join(this.readOnlyFolder, basename(own));
    return existsSync(other) ? other : own;
  }

  /** The path in the folder that is written. */
  #ownPath(digest: Digest): string {
    const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
    if (!hex) throw new Error(`not a digest: ${digest}`);
    return join(this.folder, `sha256-${hex}`);
  }

  async stat(digest: Digest): Promise<BlobInfo | undefined> {
    try {
      return { digest, size: (await stat(this.pathOf(digest))).size };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async list(): Promise<BlobInfo[]> {
    const infos = (await readdir(this.folder)).map((name) => {
      const hex = /^sha256-([0-9a-f]{64})$/.exec(name)?.[1];
      return hex === undefined ? undefined : this.stat(`sha256:${hex}`);
    });
    return (await Promise.all(infos)).filter((info) => info !== undefined);
  }

  read(digest: Digest, start = 0, end = Number.POSITIVE_INFINITY): ReadableStream<Uint8Array<ArrayBuffer>> {
    let file: number;
    try {
      file = openSync(this.pathOf(digest), 'r');
    } catch (error) {
      throw isMissing(error) ? new BlobMissing(digest) : error;
    }
    let at = start;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          try {
            const length = Math.min(PIECE, end - at);
            const bytes = new Uint8Array(Math.max(0, length));
            const { bytesRead } = length > 0 ? await readAt(file, bytes, 0, length, at) : { bytesRead: 0 };
            at += bytesRead;
            if (bytesRead > 0) return controller.enqueue(bytes.subarray(0, bytesRead));
            closeSync(file);
            controller.close();
          } catch (error) {
            closeSync(file);
            controller.error(error);
          }
        },
        cancel() {
          closeSync(file);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async delete(digest: Digest): Promise<boolean> {
    try {
      await rm(this.#ownPath(digest));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async openPartial(key: string, signal?: AbortSignal): Promise<PartialBlob> {
    const unlock = await this.#locks.acquire(key, signal);
    try {
      return await PartialFile.open(
        join(this.partials, partialName(key)),
        (digest) => this.#ownPath(digest),
        unlock,
        signal,
      );
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Creates a hard link to a blob of the other folder, so that the blob survives its deletion there. */
  async adopt(digest: Digest): Promise<void> {
    const [own, now] = [this.#ownPath(digest), this.pathOf(digest)];
    // Without hard links, or on another disk, the blob stays in the other folder.
    if (own !== now) await link(now, own).catch(() => {});
  }

  async deletePartial(key: string, signal?: AbortSignal): Promise<void> {
    const unlock = await this.#locks.acquire(key, signal);
    try {
      await rm(join(this.partials, partialName(key)), { force: true });
    } finally {
      unlock();
    }
  }

  async freeSpace(): Promise<number | undefined> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }
}

/** The file name of a key. Keys that are not digests, such as addresses, are hashed. */
function partialName(key: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(key)?.[1];
  return `${hex === undefined ? `key-${createHash('sha256').update(key).digest('hex')}` : `sha256-${hex}`}.partial`;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
