import { Mutex } from '#core/base';
import type { FilePath, Files, Host, NamedGraphFile } from '#core/host';
import type { GraphPart, ModelGraph, StoredWeights } from '../../values/model-graph.ts';
import { OnnxGraph } from './onnx-graph.ts';

/** The graphs of a host by path, so that all nodes that use a model share one session. */
export class GraphRegistry {
  readonly #graphs = new Map<FilePath, ModelGraph>();
  readonly #openMutex = new Mutex();

  constructor(private readonly host: Host) {}

  /** `path`: a folder with `model.onnx`, or an `.onnx` file. Reads nothing yet. */
  at(path: FilePath): ModelGraph {
    const partsOf = path.endsWith('.onnx') ? listGraphFile : listGraphFolder;
    return this.#graphOf(path, (files) => partsOf(files, path));
  }

  /**
   * The graph of one network of a weight file.
   * @param key the path of the file, a slash, and a name for the network
   * @param parts called at each opening. Rejects when the file is missing or has changed
   */
  built(key: FilePath, parts: () => Promise<GraphPart[]>, stored?: StoredWeights): ModelGraph {
    return this.#graphOf(key, parts, stored);
  }

  #graphOf(key: FilePath, parts: (files: Files) => Promise<GraphPart[]>, stored?: StoredWeights): ModelGraph {
    const existing = this.#graphs.get(key);
    if (existing) return existing;
    const graph = new OnnxGraph(this.host, parts, this.#openMutex, undefined, stored);
    this.#graphs.set(key, graph);
    return graph;
  }

  /** Frees the memory of all graphs. They open again at their next use. */
  async unload(): Promise<void> {
    await Promise.all([...this.#graphs.values()].map((graph) => graph.unload()));
  }

  /**
   * Unloads and forgets the graphs at `path`, below it and above it, because their files have changed. Callers get new
   * graphs: changes that were computed for the old files do not fit the new ones.
   */
  async forget(path: FilePath): Promise<void> {
    const affected = [...this.#graphs].filter(
      ([other]) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
    );
    for (const [other] of affected) this.#graphs.delete(other);
    await Promise.all(affected.map(([, graph]) => graph.unload()));
  }

  /** Unloads all graphs in a folder except those of one model: two models of one kind seldom fit into memory. */
  async keepOnly(folder: FilePath, name: string): Promise<void> {
    const others = [...this.#graphs].filter(
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
  const graphs = byHost.get(host) ?? new GraphRegistry(host);
  byHost.set(host, graphs);
  return graphs;
}

const fileName = (path: FilePath): string => path.slice(path.lastIndexOf('/') + 1);

/** `model.onnx` of a folder and its data files. Rejects when there is none. */
async function listGraphFolder(files: Files, folder: FilePath): Promise<NamedGraphFile[]> {
  const entries = (await files.list(folder)) ?? [];
  const parts = entries.flatMap(({ kind, path, size }): NamedGraphFile[] => {
    const name = fileName(path);
    if (kind !== 'file' || name.endsWith('.json') || name.endsWith('.txt')) return [];
    return [{ role: name === 'model.onnx' ? 'weights' : 'part', name, size, path }];
  });
  if (!parts.some(({ role }) => role === 'weights'))
    throw new Error(`the model has no ${folder}/model.onnx: export it with "optimum-cli export onnx"`);
  return parts;
}

/** An `.onnx` file and its data: the files next to it whose names begin with the graph's. */
async function listGraphFile(files: Files, path: FilePath): Promise<NamedGraphFile[]> {
  const graph = await files.stat(path);
  if (graph?.kind !== 'file') throw new Error(`there is no ${path}`);
  const siblings = (await files.list(path.slice(0, path.lastIndexOf('/')))) ?? [];
  const parts: NamedGraphFile[] = siblings
    .filter((file) => file.kind === 'file' && file.path !== path && file.path.startsWith(path))
    .map((file) => ({ role: 'part', name: fileName(file.path), size: file.size, path: file.path }));
  return [{ role: 'weights', name: fileName(path), size: graph.size, path }, ...parts];
}
