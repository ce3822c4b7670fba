/** Shows the models of all places of a kind, such as those that nodes saved in the output, in one folder. */
import {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type Host,
  type TensorEngine,
} from '#core/host';
import { loadedKinds, modelLocations } from '../../files/model-folders.ts';

/**
 * A host whose `models/checkpoints` shows the content of all locations of checkpoints, and likewise for every kind. A
 * model hides those of its name in later locations with all files. Writing and deleting ignore this view: they use the
 * paths as they are.
 */
export function withModelLocations(host: Host): Host {
  const files = new LocatedFiles(host.files, locationsOf(host));
  const { tensorEngine } = host;
  return Object.create(host, {
    files: { value: files, enumerable: true },
    ...(tensorEngine && { tensorEngine: { value: openingLocated(tensorEngine, files), enumerable: true } }),
  }) as Host;
}

/** The locations of each kind that has more than its own folder among the models. */
function locationsOf({ modelPlaces }: Host): ReadonlyMap<string, readonly FilePath[]> {
  const all = loadedKinds(modelPlaces).map((kind) => [kind, modelLocations(kind, modelPlaces)] as const);
  return new Map(all.filter(([, locations]) => locations.length > 1));
}

/** The path at which a file is stored that is shown at `path`. */
export const storedPath = async ({ files }: Host, path: FilePath): Promise<FilePath> =>
  files instanceof LocatedFiles ? files.storedPath(path) : path;

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

class LocatedFiles implements Files {
  constructor(
    private readonly own: Files,
    private readonly locations: ReadonlyMap<string, readonly FilePath[]>,
  ) {}

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    const info = await this.own.stat(await this.storedPath(path));
    return info && { ...info, path };
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const stored = await this.#storedPaths(path);
    const lists = await Promise.all(stored.map((place) => this.own.list(place)));
    if (lists.every((list) => list === undefined)) return undefined;
    const children = new Map<FilePath, FileInfo>();
    for (const [index, list] of lists.entries())
      for (const info of list ?? []) {
        const at = path + info.path.slice(stored[index]!.length);
        if (!children.has(at)) children.set(at, { ...info, path: at });
      }
    return [...children.values()];
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    const stored = await this.#storedPaths(path);
    const lists = await Promise.all(stored.map((place) => this.own.names(place)));
    return lists.every((list) => list === undefined)
      ? undefined
      : [...new Set(lists.flatMap((list) => list ?? []))];
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
    const stored = await this.#storedPaths(path);
    if (stored.length > 1) for (const place of stored) if (await this.own.stat(place)) return place;
    return stored[0]!;
  }

  /**
   * The paths whose content is shown at `path`, never empty. Descends to the first folder that is one model, or that
   * exists in only one location.
   */
  async #storedPaths(path: FilePath): Promise<FilePath[]> {
    const [top, kind, ...parts] = path.split('/');
    const locations = top === 'models' && kind !== undefined ? this.locations.get(kind) : undefined;
    if (!locations) return [path];
    let left = locations;
    let below = '';
    for (const [index, part] of parts.entries()) {
      below += `/${part}`;
      const entries = await this.#entries(left, below);
      const [first] = entries;
      if (!first) return [path];
      const model = first.names ? entries.find(({ names }) => isModel(names)) : first;
      const folders = entries.filter(({ names }) => names);
      left = model ? [model.location] : folders.map(({ location }) => location);
      if (left.length > 1) continue;
      return [[left[0]! + below, ...parts.slice(index + 1)].join('/')];
    }
    return left.map((location) => location + below);
  }

  /** The locations that have something at the path `below`. `names`: the content of a folder. */
  async #entries(locations: readonly FilePath[], below: FilePath) {
    const found = await Promise.all(
      locations.map(async (location) => {
        const names = await this.own.names(location + below);
        const exists = names !== undefined || (await this.own.stat(location + below)) !== undefined;
        return exists ? { location, names } : undefined;
      }),
    );
    return found.filter((entry) => entry !== undefined);
  }
}

/** Passes the stored paths of graphs to the engine. */
function openingLocated(engine: TensorEngine, files: LocatedFiles): TensorEngine {
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
