/** Shows models that nodes saved in the output folder among the other models of their kind. */
import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type Host,
  type TensorEngine,
} from '#core/host';
import { SAVED_FOLDERS } from '../../files/model-folders.ts';

const LOCATIONS = Object.entries(SAVED_FOLDERS).map(
  ([folder, saved]) => [`models/${folder}`, saved] as const,
);

/**
 * A host whose `models/checkpoints` also shows the content of `output/checkpoints`, and likewise for every kind that can
 * be saved. A model among the models hides a saved one of its name with all files. Writing and deleting ignore this
 * view: they use the paths as they are.
 */
export function withSavedModels(host: Host): Host {
  const files = new SavedFiles(host.files);
  const { tensorEngine } = host;
  return Object.create(host, {
    files: { value: files, enumerable: true },
    ...(tensorEngine && { tensorEngine: { value: openingSaved(tensorEngine, files), enumerable: true } }),
  }) as Host;
}

/** The path at which a file is stored that is shown at `path`. */
export const storedPath = async ({ files }: Host, path: FilePath): Promise<FilePath> =>
  files instanceof SavedFiles ? files.storedPath(path) : path;

/** The origin of the files at a path: the models, the saved models, or both for a folder of several models. */
type Side = 'own' | 'saved' | 'both';

/** Entries by which a folder is recognized as one model instead of a folder of several. */
const MODEL_ENTRIES: ReadonlySet<string> = new Set([
  'model.onnx',
  'model_index.json',
  'unet',
  'transformer',
  'text_encoder',
  'text_encoder_2',
  'text_encoder_3',
  'vae_decoder',
  'vae_encoder',
]);
const isModel = (names: readonly string[] | undefined) =>
  names?.some((name) => MODEL_ENTRIES.has(name)) === true;

class SavedFiles implements Files {
  constructor(private readonly own: Files) {}

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    const info = await this.own.stat(await this.storedPath(path));
    return info && { ...info, path };
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const { side, saved } = await this.#locate(path);
    const own = side === 'saved' ? undefined : await this.own.list(path);
    const others = side === 'own' ? undefined : await this.own.list(saved);
    if (!others) return own;
    const children = new Map(others.map((each) => [path + each.path.slice(saved.length), each]));
    for (const each of own ?? []) children.set(each.path, each);
    return [...children].map(([at, info]) => ({ ...info, path: at }));
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    const { side, saved } = await this.#locate(path);
    const own = side === 'saved' ? undefined : await this.own.names(path);
    const others = side === 'own' ? undefined : await this.own.names(saved);
    return others ? [...new Set([...(own ?? []), ...others])] : own;
  }

  read = async (path: FilePath, start?: number, end?: number) =>
    this.own.read(await this.storedPath(path), start, end);
  body = async (path: FilePath, start?: number, end?: number) =>
    this.own.body(await this.storedPath(path), start, end);
  write = (path: FilePath, bytes: Uint8Array, options?: { exclusive?: boolean }) =>
    this.own.write(path, bytes, options);
  create = (path: FilePath) => this.own.create(path);
  makeFolder = (path: FilePath) => this.own.makeFolder(path);
  delete = (path: FilePath) => this.own.delete(path);
  async move(from: FilePath, to: FilePath): Promise<void> {
    if ((await this.storedPath(from)) !== from) throw new FileMissing(from);
    await this.own.move(from, to);
  }

  async storedPath(path: FilePath): Promise<FilePath> {
    const { side, saved } = await this.#locate(path);
    if (side === 'both') return (await this.own.stat(path)) ? path : saved;
    return side === 'own' ? path : saved;
  }

  /** `saved`: the path among the saved models. */
  async #locate(path: FilePath): Promise<{ side: Side; saved: FilePath }> {
    const saved = savedPath(path);
    return saved === undefined ? { side: 'own', saved: path } : { side: await this.#side(path), saved };
  }

  /** Descends to the first folder that is one model, or that exists in only one of the two locations. */
  async #side(path: FilePath): Promise<Side> {
    const [top, folder, ...parts] = path.split('/');
    let at = `${top}/${folder}`;
    for (const part of parts) {
      at += `/${part}`;
      const saved = savedPath(at)!;
      if (!(await this.own.stat(saved))) return 'own';
      const names = await this.own.names(at);
      if (!names) return (await this.own.stat(at)) ? 'own' : 'saved';
      if (isModel(names)) return 'own';
      if (isModel(await this.own.names(saved))) return 'saved';
    }
    return 'both';
  }
}

/** The path of a saved model that is shown at `path`. Undefined for kinds that cannot be saved. */
function savedPath(path: FilePath): FilePath | undefined {
  const location = LOCATIONS.find(([folder]) => path === folder || path.startsWith(`${folder}/`));
  return location && location[1] + path.slice(location[0].length);
}

/** Passes the stored paths of graphs to the engine. */
function openingSaved(engine: TensorEngine, files: SavedFiles): TensorEngine {
  return {
    name: engine.name,
    async open(graph, ...rest) {
      const placed = await Promise.all(
        graph.map(async (file) =>
          'path' in file ? { ...file, path: await files.storedPath(file.path) } : file,
        ),
      );
      return engine.open(placed, ...rest);
    },
  };
}
