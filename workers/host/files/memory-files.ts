import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type FileWriter,
  PathUnusable,
  pathParts,
  writablePathParts,
} from '#core/host';

interface StoredFile {
  bytes: Uint8Array<ArrayBuffer>;
  modifiedAt: number;
  createdAt: number;
}

/** Files in memory, for browsers without persistent storage and for tests. They are lost with the worker. */
export class MemoryFiles implements Files {
  readonly #files = new Map<FilePath, StoredFile>();
  readonly #folders = new Set<FilePath>();
  constructor(private readonly now: () => number = Date.now) {}

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    if (path !== '') pathParts(path);
    const file = this.#files.get(path);
    if (file)
      return {
        path,
        kind: 'file',
        size: file.bytes.length,
        modifiedAt: file.modifiedAt,
        createdAt: file.createdAt,
      };
    const isFolder = path === '' || this.#folders.has(path);
    return isFolder ? { path, kind: 'folder', size: 0, modifiedAt: 0, createdAt: 0 } : undefined;
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    if ((await this.stat(path))?.kind !== 'folder') return undefined;
    const start = path === '' ? '' : `${path}/`;
    const names = [...this.#files.keys(), ...this.#folders].filter(
      (other) => other.startsWith(start) && other !== path && !other.slice(start.length).includes('/'),
    );
    return (await Promise.all(names.map((name) => this.stat(name)))).filter((info) => info !== undefined);
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    return (await this.list(path))?.map((info) => info.path.slice(path === '' ? 0 : path.length + 1));
  }

  async read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>> {
    pathParts(path);
    const file = this.#files.get(path);
    if (!file) throw new FileMissing(path);
    return file.bytes.slice(start, end);
  }

  async body(path: FilePath, start?: number, end?: number): Promise<Blob> {
    return new Blob([await this.read(path, start, end)]);
  }

  async write(path: FilePath, bytes: Uint8Array, { exclusive = false } = {}): Promise<boolean> {
    const parts = writablePathParts(path);
    const before = this.#files.get(path);
    if (exclusive && before) return false;
    if (this.#folders.has(path) || !this.#addFolders(parts.slice(0, -1))) throw new PathUnusable(path);
    const time = this.now();
    this.#files.set(path, {
      bytes: new Uint8Array(bytes),
      modifiedAt: time,
      createdAt: before?.createdAt ?? time,
    });
    return true;
  }

  async create(path: FilePath): Promise<FileWriter> {
    pathParts(path);
    let bytes = new Uint8Array(0);
    let size = 0;
    return {
      write: async (start, part) => {
        const end = start + part.length;
        if (end > bytes.length) {
          const larger = new Uint8Array(Math.max(end, 2 * bytes.length));
          larger.set(bytes.subarray(0, size));
          bytes = larger;
        }
        bytes.set(part, start);
        size = Math.max(size, end);
      },
      close: async () => {
        await this.write(path, bytes.subarray(0, size));
      },
      abort: async () => {
        bytes = new Uint8Array(0);
        size = 0;
      },
    };
  }

  async makeFolder(path: FilePath): Promise<void> {
    if (path === '') return;
    if (!this.#addFolders(writablePathParts(path))) throw new PathUnusable(path);
  }

  /** Returns false when a file stands in the place of a folder. Then no folder is added. */
  #addFolders(parts: string[]): boolean {
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    if (paths.some((path) => this.#files.has(path))) return false;
    for (const path of paths) this.#folders.add(path);
    return true;
  }

  async delete(path: FilePath): Promise<boolean> {
    if (path === '' || !(await this.stat(path))) return false;
    for (const store of [this.#files, this.#folders]) {
      for (const other of [...store.keys()])
        if (other === path || other.startsWith(`${path}/`)) store.delete(other);
    }
    return true;
  }

  async move(from: FilePath, to: FilePath): Promise<void> {
    const bytes = await this.read(from);
    if (from === to) return;
    await this.write(to, bytes);
    this.#files.delete(from);
  }
}
