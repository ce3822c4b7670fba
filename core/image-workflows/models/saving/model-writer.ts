/** A model on its way into a folder: it is there as a whole, or nothing of it is. */
import type { FilePath, Files } from '#core/host';
import type { JsonObject, ModelGraph } from '../../values/model-graph.ts';
import { noteUnfinished } from './unfinished-saves.ts';
import { type GraphSavePlan, planGraph, writeGraph } from './write-graph.ts';

/** What is done so far, in shares of all. Throws to end the work. */
export type OnProgress = (share: number) => Promise<void>;

interface Part {
  graph: ModelGraph;
  folder: FilePath;
}

/**
 * Small files and graphs are named first. They are written in the order in which they were added: models are told by a graph
 * in their folder, which has to be the last, so that a folder that is not whole is never seen as a model.
 */
export class ModelWriter {
  readonly #small: { path: FilePath; bytes: () => Promise<Uint8Array> }[] = [];
  readonly #graphs: Part[] = [];

  constructor(
    private readonly files: Files,
    /** Its own: removed when something fails. */
    private readonly folder: FilePath,
  ) {}

  json(name: string, value: JsonObject): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
    this.#small.push({ path: `${this.folder}/${name}`, bytes: async () => bytes });
  }

  /** A small file as it is. */
  copy(from: FilePath, name: string): void {
    this.#small.push({ path: `${this.folder}/${name}`, bytes: () => this.files.read(from) });
  }

  /** `model.onnx` with its data, in a folder inside; '' is the folder itself. */
  graph(graph: ModelGraph, part: string): void {
    this.#graphs.push({ graph, folder: part === '' ? this.folder : `${this.folder}/${part}` });
  }

  /** `texts`: what its graphs carry. Throws `StorageFull`, the signal's reason, and what changes of weights throw. */
  async write(
    texts: Readonly<Record<string, string>>,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const finished = await noteUnfinished(this.files, this.folder);
    try {
      const works: GraphSavePlan[] = [];
      for (const { graph } of this.#graphs) works.push(await planGraph(graph));
      const all = works.reduce((sum, { bytes }) => sum + bytes, 0);
      let done = 0;
      const advance = async (bytes: number) => {
        done += bytes;
        await onProgress(Math.min(1, done / Math.max(all, 1)));
      };
      for (const { path, bytes } of this.#small) {
        signal.throwIfAborted();
        await this.files.write(path, await bytes());
      }
      for (const [index, { graph, folder }] of this.#graphs.entries())
        await writeGraph(this.files, { graph, folder, texts, work: works[index]! }, advance, signal);
      await finished();
    } catch (error) {
      await this.files.delete(this.folder);
      await finished();
      throw error;
    }
  }
}
