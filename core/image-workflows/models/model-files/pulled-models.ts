/** Shows pulled image models as folders among the checkpoints. */
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

const CHECKPOINTS = 'models/checkpoints';

export interface PulledModel {
  /** The name that lists show: `sd-turbo`, `stable-diffusion:1.5`. */
  name: string;
  /** Their names are the paths in the model's repository. */
  files: readonly ModelFile[];
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

/**
 * A host whose `models/checkpoints` also shows a folder for each pulled model. Its files are read from the blobs of the
 * pull. A folder of the same name that a person created takes precedence.
 */
export function withPulledModels(host: Host, pulled: () => Promise<PulledModel[]>): Host {
  const { tensorEngine } = host;
  const files = new CheckpointFiles(host.files, host.blobs, pulled);
  return {
    ...host,
    files,
    ...(tensorEngine && { tensorEngine: openingBlobs(tensorEngine, files) }),
  };
}

type PulledFile = { digest: Digest } & FileInfo;

class CheckpointFiles implements Files {
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
    return (await this.pulled()).flatMap(({ name, files, modifiedAt }) =>
      files.flatMap(({ name: path, digest, size }): PulledFile[] =>
        path === undefined
          ? []
          : [
              {
                path: `${CHECKPOINTS}/${name}/${path}`,
                kind: 'file',
                size,
                modifiedAt,
                createdAt: modifiedAt,
                digest,
              },
            ],
      ),
    );
  }
}

const isInside = (path: FilePath) => path === CHECKPOINTS || path.startsWith(`${CHECKPOINTS}/`);

const folder = (path: FilePath, { modifiedAt, createdAt }: FileInfo): FileInfo => ({
  path,
  kind: 'folder',
  size: 0,
  modifiedAt,
  createdAt,
});

/** Passes the blobs of pulled graphs to the engine instead of their paths. */
function openingBlobs(engine: TensorEngine, files: CheckpointFiles): TensorEngine {
  return {
    name: engine.name,
    async open(graph, ...rest) {
      const stored = await Promise.all(
        graph.map(async (file): Promise<GraphFile> => {
          const digest = 'path' in file ? await files.digestAt(file.path) : undefined;
          const { role, name, size } = file;
          return digest ? { role, digest, size, ...(name !== undefined && { name }) } : file;
        }),
      );
      return engine.open(stored, ...rest);
    },
  };
}
