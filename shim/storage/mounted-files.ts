import type { FileInfo, FilePath, Files, FileWriter } from '#core/host';
import type { ForeignFolder } from './foreign-folder.ts';

/** The folder of the tree below which folders of other programs lie. */
export const EXTERNAL = 'external';

/** A tree of files that engines can open by path. */
export interface LocatedFiles extends Files {
  /** The path on this computer. Files that lie elsewhere are copied first. */
  pathOf(path: FilePath): string | Promise<string>;
}

/** The files of a home, with folders of other programs below `external/NAME`. Those are never written. */
export class MountedFiles implements Files {
  constructor(
    private readonly own: LocatedFiles,
    private readonly mounts: ReadonlyMap<string, ForeignFolder>,
  ) {}

  /** The path on disk, for engines that open files by path. */
  pathOf(path: FilePath): string | Promise<string> {
    const { files, below } = this.#at(path);
    return files.pathOf(below);
  }

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    const { files, below } = this.#at(path);
    const info = await files.stat(below);
    return info && { ...info, path };
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const { files, below } = this.#at(path);
    const children = await files.list(below);
    if (files === this.own) return children;
    const name = (child: FileInfo) => child.path.slice(below === '' ? 0 : below.length + 1);
    return children?.map((child) => ({ ...child, path: `${path}/${name(child)}` }));
  }

  names = async (path: FilePath) => {
    const { files, below } = this.#at(path);
    return files.names(below);
  };

  async read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>> {
    const { files, below } = this.#at(path);
    return files.read(below, start, end);
  }

  async body(path: FilePath, start?: number, end?: number) {
    const { files, below } = this.#at(path);
    return files.body(below, start, end);
  }

  async write(path: FilePath, bytes: Uint8Array, options?: { exclusive?: boolean }): Promise<boolean> {
    return this.#writable(path).write(path, bytes, options);
  }

  async create(path: FilePath): Promise<FileWriter> {
    return this.#writable(path).create(path);
  }

  async makeFolder(path: FilePath): Promise<void> {
    await this.#writable(path).makeFolder(path);
  }

  async delete(path: FilePath): Promise<boolean> {
    return this.#writable(path).delete(path);
  }

  async move(from: FilePath, to: FilePath): Promise<void> {
    this.#writable(from);
    await this.#writable(to).move(from, to);
  }

  #at(path: FilePath): { files: LocatedFiles; below: FilePath } {
    const [top, name, ...parts] = path.split('/');
    const mount = top === EXTERNAL && name !== undefined ? this.mounts.get(name) : undefined;
    return mount ? { files: mount, below: parts.join('/') } : { files: this.own, below: path };
  }

  #writable(path: FilePath): LocatedFiles {
    const [top, name = ''] = path.split('/');
    const mount = top === EXTERNAL ? this.mounts.get(name) : undefined;
    if (!mount) return this.own;
    throw new Error(`${mount.root} belongs to another program: tabd only reads it`);
  }
}
