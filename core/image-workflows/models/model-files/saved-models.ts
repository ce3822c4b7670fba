/** Models that nodes saved in the output, seen among those of their kind. */
import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type Host,
  type TensorEngine,
} from '#core/host';
import { SAVED_FOLDERS } from '../../files/model-folders.ts';

const PLACES = Object.entries(SAVED_FOLDERS).map(([folder, saved]) => [`models/${folder}`, saved] as const);

/**
 * The host as image workflows see it: `models/checkpoints` also holds what lies in `output/checkpoints`, and so for each kind
 * that is saved. What lies among the models comes first, a model as a whole. They are seen there, not moved: writing and
 * deleting goes by where a file is.
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
export const storedPath = async ({ files }: Host, path: FilePath): Promise<FilePath> =>
  files instanceof SavedFiles ? files.placeOf(path) : path;

/** Whose files are seen at a path: those of the models, the saved ones, or both in a folder of several models. */
type Side = 'own' | 'saved' | 'both';

/** By which a folder is told to be a model, not a folder of several. */
const TELLING: ReadonlySet<string> = new Set([
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
const isModel = (names: readonly string[] | undefined) => names?.some((name) => TELLING.has(name)) === true;

class SavedFiles implements Files {
  constructor(private readonly own: Files) {}

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    const place = await this.placeOf(path);
    const found = await this.own.stat(place);
    return found && { ...found, path };
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const { side, saved } = await this.#at(path);
    const own = side === 'saved' ? undefined : await this.own.list(path);
    const others = side === 'own' ? undefined : await this.own.list(saved);
    if (!others) return own;
    const children = new Map(others.map((each) => [path + each.path.slice(saved.length), each]));
    for (const each of own ?? []) children.set(each.path, each);
    return [...children].map(([at, info]) => ({ ...info, path: at }));
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    const { side, saved } = await this.#at(path);
    const own = side === 'saved' ? undefined : await this.own.names(path);
    const others = side === 'own' ? undefined : await this.own.names(saved);
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
    const { side, saved } = await this.#at(path);
    if (side === 'both') return (await this.own.stat(path)) ? path : saved;
    return side === 'own' ? path : saved;
  }

  /** `saved`: where it lies in the output, if it does. */
  async #at(path: FilePath): Promise<{ side: Side; saved: FilePath }> {
    const saved = savedPath(path);
    return saved === undefined ? { side: 'own', saved: path } : { side: await this.#side(path), saved };
  }

  /** Goes down to the first folder that is a model, or is in one of the two places alone. */
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
