import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { KeyedMutex } from '#core/base';
import { StorageFull } from '#core/host';
import { isDiskFullError } from '../../base/full-disk.ts';

/** The folder of files that are not complete. */
const UNFINISHED = '.unfinished';

/** Local copies of shared files, for engines that open files by path. The copies used longest ago make room for new ones. */
export class LocalCache {
  readonly #locks = new KeyedMutex();
  /** Bytes that running downloads will need. */
  readonly #arriving = new Map<string, number>();

  /** @param largest bytes of all copies together */
  constructor(
    readonly folder: string,
    private readonly largest: number,
  ) {}

  /** Deletes what an earlier process has left incomplete. */
  async removeUnfinished(): Promise<void> {
    await rm(join(this.folder, UNFINISHED), { recursive: true, force: true });
  }

  /** The path of a copy. Undefined: there is none. */
  async find(name: string): Promise<string | undefined> {
    const path = join(this.folder, name);
    try {
      await utimes(path, new Date(), new Date());
      return path;
    } catch {
      return undefined;
    }
  }

  /**
   * The path of a copy, which is made if it is missing. Simultaneous callers wait for the same download.
   * @param size bytes of the file
   * @throws StorageFull for a file that is larger than the cache, or does not fit on the disk
   */
  async get(name: string, size: number, open: () => ReadableStream<Uint8Array>): Promise<string> {
    const unlock = await this.#locks.acquire(name);
    try {
      const found = await this.find(name);
      if (found) return found;
      return await this.#download(name, size, open);
    } catch (error) {
      if (!isDiskFullError(error)) throw error;
      throw new StorageFull(`no space left in ${this.folder}`, { cause: error });
    } finally {
      this.#arriving.delete(name);
      unlock();
    }
  }

  /** Makes a finished file a copy under this name. */
  async add(name: string, path: string, size: number): Promise<void> {
    await this.#makeRoom(name, size);
    const place = join(this.folder, name);
    await mkdir(dirname(place), { recursive: true });
    await rename(path, place);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }

  async #download(name: string, size: number, open: () => ReadableStream<Uint8Array>): Promise<string> {
    await this.#makeRoom(name, size);
    this.#arriving.set(name, size);
    const temporary = join(this.folder, UNFINISHED, randomUUID());
    const place = join(this.folder, name);
    await mkdir(dirname(temporary), { recursive: true });
    try {
      await pipeline(Readable.fromWeb(open() as never), createWriteStream(temporary, { flags: 'wx' }));
      const { size: arrived } = await stat(temporary);
      if (arrived !== size) throw new Error(`${name} has ${arrived} bytes instead of ${size}`);
      await mkdir(dirname(place), { recursive: true });
      await rename(temporary, place);
      return place;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Deletes the copies used longest ago. An engine that has such a file open keeps its content. */
  async #makeRoom(name: string, size: number): Promise<void> {
    if (size > this.largest)
      throw new StorageFull(
        `${name} has ${size} bytes, which is more than the cache of ${this.largest}: raise TABD_FILES_CACHE`,
      );
    const copies = (await this.#copies()).sort((a, b) => a.usedAt - b.usedAt);
    let total = size + [...this.#arriving.values()].reduce((sum, bytes) => sum + bytes, 0);
    for (const copy of copies) total += copy.size;
    for (const copy of copies) {
      if (total <= this.largest) return;
      await rm(copy.path, { force: true });
      total -= copy.size;
    }
  }

  async #copies(): Promise<{ path: string; size: number; usedAt: number }[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes(UNFINISHED));
    const found = await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const info = await stat(path).catch(() => undefined);
        return info && { path, size: info.size, usedAt: info.mtimeMs };
      }),
    );
    return found.filter((copy) => copy !== undefined);
  }
}
