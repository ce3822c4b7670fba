import { Mutex } from '#core/base';
import type { FilePath, Files, Host, NamedGraphFile } from '#core/host';
import type { ModelGraph } from '../../values/model-graph.ts';
import { OnnxGraph } from './onnx-graph.ts';

/** The graphs of a host by the place where they lie, whichever node asks for them. */
export class GraphRegistry {
  readonly #known = new Map<FilePath, ModelGraph>();
  readonly #openMutex = new Mutex();

  constructor(private readonly host: Host) {}

  /** `path`: a folder with `model.onnx`, or an `.onnx` file. Nothing is read yet. */
  at(path: FilePath): ModelGraph {
    const known = this.#known.get(path);
    if (known) return known;
    const partsOf = path.endsWith('.onnx') ? graphOfFile : graphOfFolder;
    const made = new OnnxGraph(this.host, (files) => partsOf(files, path), this.#openMutex);
    this.#known.set(path, made);
    return made;
  }

  /** Frees the memory of all; they are opened again when they are used. */
  async unload(): Promise<void> {
    await Promise.all([...this.#known.values()].map((graph) => graph.unload()));
  }

  /**
   * Of all at `path`, below it and around it, as other files are there now: frees their memory, and makes them anew for whoever
   * asks next. What was made of them as they were, changes of one graph among it, does not fit another.
   */
  async forget(path: FilePath): Promise<void> {
    const gone = [...this.#known].filter(
      ([other]) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
    );
    for (const [other] of gone) this.#known.delete(other);
    await Promise.all(gone.map(([, graph]) => graph.unload()));
  }

  /** Frees the memory of all in a folder but those of one model in it: models of one kind seldom fit side by side. */
  async keepOnly(folder: FilePath, name: string): Promise<void> {
    const others = [...this.#known].filter(
      ([path]) =>
        path.startsWith(`${folder}/`) &&
        path !== `${folder}/${name}` &&
        !path.startsWith(`${folder}/${name}/`),
    );
    await Promise.all(others.map(([, graph]) => graph.unload()));
  }
}

const byHost = new WeakMap<Host, GraphRegistry>();

export function graphsOf(host: Host): GraphRegistry {
  const known = byHost.get(host) ?? new GraphRegistry(host);
  byHost.set(host, known);
  return known;
}

const last = (path: FilePath): string => path.slice(path.lastIndexOf('/') + 1);

/** `model.onnx` of a folder and its data. Throws where there is none. */
async function graphOfFolder(files: Files, folder: FilePath): Promise<NamedGraphFile[]> {
  const found = (await files.list(folder)) ?? [];
  const graphs = found.flatMap(({ kind, path, size }): NamedGraphFile[] => {
    const name = last(path);
    if (kind !== 'file' || name.endsWith('.json') || name.endsWith('.txt')) return [];
    return [{ role: name === 'model.onnx' ? 'weights' : 'part', name, size, path }];
  });
  if (!graphs.some(({ role }) => role === 'weights'))
    throw new Error(`the model has no ${folder}/model.onnx: export it with "optimum-cli export onnx"`);
  return graphs;
}

/** A graph and the files beside it whose names go on from its own: its data. */
async function graphOfFile(files: Files, path: FilePath): Promise<NamedGraphFile[]> {
  const graph = await files.stat(path);
  if (graph?.kind !== 'file') throw new Error(`there is no ${path}`);
  const beside = (await files.list(path.slice(0, path.lastIndexOf('/')))) ?? [];
  const parts: NamedGraphFile[] = beside
    .filter((file) => file.kind === 'file' && file.path !== path && file.path.startsWith(path))
    .map((file) => ({ role: 'part', name: last(file.path), size: file.size, path: file.path }));
  return [{ role: 'weights', name: last(path), size: graph.size, path }, ...parts];
}
