/** Models that nodes saved in the output, seen among those of their kind. */
import type { FileInfo, FilePath, Files } from '../../host/files.ts';
import { FileMissing } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { TensorEngine } from '../../host/tensor-engine.ts';
import { SAVED_FOLDERS } from '../files/model-folders.ts';

const PLACES = Object.entries(SAVED_FOLDERS).map(([folder, saved]) => [`models/${folder}`, saved] as const);

/**
 * The host as image workflows see it: `models/checkpoints` also holds what lies in `output/checkpoints`, and so for each kind
 * that is saved. What lies among the models comes first. They are seen there, not moved: writing and deleting goes by where a
 * file is.
 */
export function withSavedModels(host: Host): Host {
  const files = new SavedFiles(host.files);
  const { tensorEngine } = host;
  return Object.create(host, {
    files: { value: files, enumerable: true },
    ...(tensorEngine && { tensorEngine: { value: openingSaved(tensorEngine, files), enumerable: true } }),
  }) as Host;
}

/** Where a model is that is seen at `path`. */
export const placeOf = async ({ files }: Host, path: FilePath): Promise<FilePath> =>
  files instanceof SavedFiles ? files.placeOf(path) : path;

class SavedFiles implements Files {
  constructor(private readonly own: Files) {}

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    const found = await this.own.stat(path);
    const saved = found ? undefined : savedPath(path);
    const other = saved === undefined ? undefined : await this.own.stat(saved);
    return other ? { ...other, path } : found;
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const own = await this.own.list(path);
    const saved = savedPath(path);
    const others = saved === undefined ? undefined : await this.own.list(saved);
    if (!others) return own;
    const children = new Map(others.map((each) => [path + each.path.slice(saved!.length), each]));
    for (const each of own ?? []) children.set(each.path, each);
    return [...children].map(([at, info]) => ({ ...info, path: at }));
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    const own = await this.own.names(path);
    const saved = savedPath(path);
    const others = saved === undefined ? undefined : await this.own.names(saved);
    return others ? [...new Set([...(own ?? []), ...others])] : own;
  }

  read = async (path: FilePath, start?: number, end?: number) =>
    this.own.read(await this.placeOf(path), start, end);
  body = async (path: FilePath, start?: number, end?: number) =>
    this.own.body(await this.placeOf(path), start, end);
  write = (path: FilePath, bytes: Uint8Array, options?: { exclusive?: boolean }) =>
    this.own.write(path, bytes, options);
  create = (path: FilePath) => this.own.create(path);
  makeFolder = (path: FilePath) => this.own.makeFolder(path);
  delete = (path: FilePath) => this.own.delete(path);
  async move(from: FilePath, to: FilePath): Promise<void> {
    if ((await this.placeOf(from)) !== from) throw new FileMissing(from);
    await this.own.move(from, to);
  }

  /** Where a file is that is seen at `path`. */
  async placeOf(path: FilePath): Promise<FilePath> {
    const saved = savedPath(path);
    if (saved === undefined || (await this.own.stat(path)) || !(await this.own.stat(saved))) return path;
    return saved;
  }
}

/** Where what is saved under a path among the models would lie. */
function savedPath(path: FilePath): FilePath | undefined {
  const found = PLACES.find(([folder]) => path === folder || path.startsWith(`${folder}/`));
  return found && found[1] + path.slice(found[0].length);
}

function openingSaved(engine: TensorEngine, files: SavedFiles): TensorEngine {
  return {
    name: engine.name,
    async open(graph, ...rest) {
      const placed = await Promise.all(
        graph.map(async (file) =>
          'path' in file ? { ...file, path: await files.placeOf(file.path) } : file,
        ),
      );
      return engine.open(placed, ...rest);
    },
  };
}
