/** Shows pulled image models among the files of models. */
import {
  type Blobs,
  type Digest,
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type GraphFile,
  type Host,
  type ModelFile,
  type TensorEngine,
} from '#core/host';
import { readSafetensors } from '#core/tensors';
import { folderOfWeights } from '../checkpoints/folder-of-weights.ts';

const MODELS = 'models';

export interface PulledModel {
  /** The name that lists show: `sd-turbo`, `stable-diffusion:1.5`. */
  name: string;
  /** Whether it is a file of weights, which lies in the folder of its kind. Default: a folder of checkpoints. */
  isSingleFile?: boolean;
  /** The folder below `models` in which published graphs expect a file of weights of this name, if they name it. */
  publishedFolder?: string;
  /** Their names are the paths in the model's repository. */
  files: readonly ModelFile[];
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

/**
 * A host whose `models/checkpoints` also shows a folder for each pulled model. A pulled file of weights is shown in the
 * folder of its kind, such as `models/loras`. All are read from the blobs of the pull. A file or folder of the same name
 * that a person created takes precedence.
 */
export function withPulledModels(host: Host, pulled: () => Promise<PulledModel[]>): Host {
  const { tensorEngine } = host;
  const files = new PulledFiles(host.files, host.blobs, pulled);
  return {
    ...host,
    files,
    ...(tensorEngine && { tensorEngine: openingBlobs(tensorEngine, files) }),
  };
}

type PulledFile = { digest: Digest } & FileInfo;

class PulledFiles implements Files {
  /** The folders of files of weights, such as `loras`, by their digests. */
  readonly #folders = new Map<Digest, Promise<string>>();

  constructor(
    private readonly own: Files,
    private readonly blobs: Blobs,
    private readonly pulled: () => Promise<PulledModel[]>,
  ) {}

  async stat(path: FilePath): Promise<FileInfo | undefined> {
    return (await this.own.stat(path)) ?? (await this.pulledAt(path));
  }

  async list(path: FilePath): Promise<FileInfo[] | undefined> {
    const own = await this.own.list(path);
    if (!isInside(path)) return own;
    const children = new Map<FilePath, FileInfo>();
    for (const file of await this.#all()) {
      if (!file.path.startsWith(`${path}/`)) continue;
      const end = file.path.indexOf('/', path.length + 1);
      const child = end < 0 ? file : folder(file.path.slice(0, end), file);
      children.set(child.path, child);
    }
    if (children.size === 0) return own;
    for (const each of own ?? []) children.set(each.path, each);
    return [...children.values()];
  }

  async names(path: FilePath): Promise<string[] | undefined> {
    if (!isInside(path)) return this.own.names(path);
    return (await this.list(path))?.map((each) => each.path.slice(path.length + 1));
  }

  async read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>> {
    const digest = await this.digestAt(path);
    if (!digest) return this.own.read(path, start, end);
    return new Uint8Array(await new Response(this.blobs.read(digest, start, end)).arrayBuffer());
  }

  async body(path: FilePath, start?: number, end?: number) {
    const digest = await this.digestAt(path);
    return digest ? this.blobs.read(digest, start, end) : this.own.body(path, start, end);
  }

  /** The digest of a pulled file, unless another file with its path hides it. */
  async digestAt(path: FilePath): Promise<Digest | undefined> {
    if (!isInside(path) || (await this.own.stat(path))) return undefined;
    const found = await this.pulledAt(path);
    return found && 'digest' in found ? found.digest : undefined;
  }

  write = (path: FilePath, bytes: Uint8Array, options?: { exclusive?: boolean }) =>
    this.own.write(path, bytes, options);
  create = (path: FilePath) => this.own.create(path);
  makeFolder = (path: FilePath) => this.own.makeFolder(path);
  delete = (path: FilePath) => this.own.delete(path);
  async move(from: FilePath, to: FilePath): Promise<void> {
    if (await this.digestAt(from)) throw new FileMissing(from);
    await this.own.move(from, to);
  }

  async pulledAt(path: FilePath): Promise<PulledFile | FileInfo | undefined> {
    if (!isInside(path)) return undefined;
    const all = await this.#all();
    const below = all.find((found) => found.path.startsWith(`${path}/`));
    return all.find((found) => found.path === path) ?? (below && folder(path, below));
  }

  async #all(): Promise<PulledFile[]> {
    const lists = (await this.pulled()).map(async (model) => {
      const { name, isSingleFile, publishedFolder, files, modifiedAt } = model;
      const named = files.filter((file) => file.name !== undefined);
      const folder =
        isSingleFile && named[0] ? await this.#folderOf(named[0], publishedFolder) : `checkpoints/${name}`;
      return named.map(
        ({ name: path, digest, size }): PulledFile => ({
          path: `${MODELS}/${folder}/${path}`,
          kind: 'file',
          size,
          modifiedAt,
          createdAt: modifiedAt,
          digest,
        }),
      );
    });
    return (await Promise.all(lists)).flat();
  }

  /** The folder of a file of weights. Its table is read once. */
  #folderOf(file: ModelFile, published: string | undefined): Promise<string> {
    const cached = this.#folders.get(file.digest);
    if (cached) return cached;
    const folder = this.#readFolder(file, published).catch(() => {
      // The node that loads a damaged file reports the cause.
      this.#folders.delete(file.digest);
      return published ?? 'checkpoints';
    });
    this.#folders.set(file.digest, folder);
    return folder;
  }

  async #readFolder({ digest, size, name = '' }: ModelFile, published: string | undefined): Promise<string> {
    const read = async (start: number, end: number) =>
      new Uint8Array(await new Response(this.blobs.read(digest, start, end)).arrayBuffer());
    const entries = await readSafetensors(size, read);
    const table = new Map(entries.map(({ name: key, ...rest }) => [key, { file: name, ...rest }]));
    return folderOfWeights(table, published);
  }
}

const isInside = (path: FilePath) => path.startsWith(`${MODELS}/`);

const folder = (path: FilePath, { modifiedAt, createdAt }: FileInfo): FileInfo => ({
  path,
  kind: 'folder',
  size: 0,
  modifiedAt,
  createdAt,
});

/** Passes the blobs of pulled graphs to the engine instead of their paths. */
function openingBlobs(engine: TensorEngine, files: PulledFiles): TensorEngine {
  return {
    name: engine.name,
    async open(graph, ...rest) {
      const stored = await Promise.all(
        graph.map(async (file): Promise<GraphFile> => {
          const digest = 'path' in file ? await files.digestAt(file.path) : undefined;
          if (!digest) return file;
          const { path: _, ...rest } = file as Extract<GraphFile, { path: FilePath }>;
          return { ...rest, digest };
        }),
      );
      return engine.open(stored, ...rest);
    },
  };
}
