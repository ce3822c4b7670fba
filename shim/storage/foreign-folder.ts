import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { type FileInfo, type FilePath, type Log, pathParts } from '#core/host';
import { DiskFiles, isMissing } from './disk-files.ts';

/**
 * A folder of another program. Links that lead back to a folder above them are hidden, because a walk would not end.
 * Folders that cannot be read are empty, and the log names each once.
 */
export class ForeignFolder extends DiskFiles {
  readonly #unreadable = new Set<string>();

  constructor(
    root: string,
    private readonly log: Log,
  ) {
    super(root);
  }

  override async stat(path: FilePath): Promise<FileInfo | undefined> {
    return this.#orNothing(path, () => super.stat(path));
  }

  override async names(path: FilePath): Promise<string[] | undefined> {
    return this.#orNothing(path, async () => {
      const entries = await readdir(this.pathOf(path), { withFileTypes: true });
      const loops = await this.#loops(path, entries);
      const names = entries.map(({ name }) => name);
      return names.filter((name) => !loops.has(name) && !name.includes('\\'));
    });
  }

  /** The names of links to the folder itself, to a folder on the way to it, or to one that holds such a folder. */
  async #loops(path: FilePath, entries: readonly Dirent[]): Promise<ReadonlySet<string>> {
    const links = entries.filter((entry) => entry.isSymbolicLink());
    if (links.length === 0) return new Set();
    const parts = path === '' ? [] : pathParts(path);
    const above = await Promise.all(
      [...parts, ''].map((_, index) => realpath(join(this.root, ...parts.slice(0, index)))),
    );
    const loops = await Promise.all(
      links.map(async ({ name }) => {
        // A link without a target is no loop. It is left out where the entries are described.
        const target = await realpath(join(this.pathOf(path), name)).catch(() => undefined);
        return target !== undefined && above.some((folder) => holds(target, folder)) ? [name] : [];
      }),
    );
    return new Set(loops.flat());
  }

  async #orNothing<T>(path: FilePath, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      // A path that leads out of the folder is the caller's fault, and not the folder's.
      if (error instanceof TypeError) throw error;
      if (isMissing(error)) return undefined;
      const place = this.pathOf(path);
      if (!this.#unreadable.has(place))
        this.log.warn(`${place} is left out, because it cannot be read`, { error: String(error) });
      this.#unreadable.add(place);
      return undefined;
    }
  }
}

/** Whether `inner` is `outer` or lies in it. */
function holds(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way);
}
