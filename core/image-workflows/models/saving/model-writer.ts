import type { FilePath, Files } from '#core/host';
import type { JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import { noteUnfinished } from './unfinished-saves.ts';
import { type GraphSavePlan, planGraph, writeGraph } from './write-graph.ts';

/** Receives the share of the work that is done, 0 to 1. Rejects to end the work. */
export type OnProgress = (share: number) => Promise<void>;

interface GraphPart {
  graph: ModelGraph;
  folder: FilePath;
}

/**
 * Writes a model into a folder, completely or not at all. First add all parts, then call `write`, which writes them in
 * that order. A folder counts as a model as soon as it holds a certain graph, so that graph must be added last.
 */
export class ModelWriter {
  readonly #smallFiles: { path: FilePath; bytes: () => Promise<Uint8Array> }[] = [];
  readonly #graphs: GraphPart[] = [];

  constructor(
    private readonly files: Files,
    /** Removed after a failure, so it must not hold anything else. */
    private readonly folder: FilePath,
  ) {}

  json(name: string, value: JsonConfig): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
    this.#smallFiles.push({ path: `${this.folder}/${name}`, bytes: async () => bytes });
  }

  /** Copies a small file. */
  copy(from: FilePath, name: string): void {
    this.#smallFiles.push({ path: `${this.folder}/${name}`, bytes: () => this.files.read(from) });
  }

  /** Adds `model.onnx` and its data in a subfolder. '' is the folder itself. */
  graph(graph: ModelGraph, part: string): void {
    this.#graphs.push({ graph, folder: part === '' ? this.folder : `${this.folder}/${part}` });
  }

  /**
   * Rejects with `StorageFull`, the signal's reason, and errors of weight changes.
   *
   * @param texts the metadata of the graphs.
   */
  async write(
    texts: Readonly<Record<string, string>>,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const finished = await noteUnfinished(this.files, this.folder);
    try {
      const plans: GraphSavePlan[] = [];
      for (const { graph } of this.#graphs) plans.push(await planGraph(graph));
      const total = plans.reduce((sum, { bytes }) => sum + bytes, 0);
      let done = 0;
      const onWritten = async (bytes: number) => {
        done += bytes;
        await onProgress(Math.min(1, done / Math.max(total, 1)));
      };
      for (const { path, bytes } of this.#smallFiles) {
        signal.throwIfAborted();
        await this.files.write(path, await bytes());
      }
      for (const [index, { graph, folder }] of this.#graphs.entries())
        await writeGraph(this.files, { graph, folder, texts, plan: plans[index]! }, onWritten, signal);
      await finished();
    } catch (error) {
      await this.files.delete(this.folder);
      await finished();
      throw error;
    }
  }
}
