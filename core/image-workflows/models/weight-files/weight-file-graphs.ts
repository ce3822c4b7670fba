import {
  type BuiltGraphFile,
  type Host,
  ModelCorrupt,
  ModelUnsupported,
  type NamedGraphFile,
} from '#core/host';
import { readSafetensorsTexts, type StoredTensor } from '#core/tensors';
import type { GraphPart, JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { readTensor, type WeightFile, type WeightFilePart } from './read-weight-file.ts';
import type { WeightTable } from './weight-table.ts';

/** The graphs that are built over a file of weights. */
export class WeightFileGraphs {
  constructor(
    readonly host: Host,
    readonly file: WeightFile,
  ) {}

  /**
   * The graph of one network in the file. Opening it rejects with `ModelCorrupt` when the file has changed since it was
   * read, and with `ModelUnsupported` when weights are missing.
   * @param name of the network within the file
   * @param weights the tensors that the network may use
   * @param build is called when the graph is first read or opened
   * @param runsOnce whether the network runs once for a prompt, and not at each step of a sampler
   */
  graph(
    name: string,
    weights: WeightTable,
    build: () => Uint8Array<ArrayBuffer>,
    runsOnce = false,
  ): ModelGraph {
    const { path, modifiedAt, parts, table } = this.file;
    // Changes of weights read the graph once for each weight.
    let built: Uint8Array<ArrayBuffer> | undefined;
    const once = () => {
      built ??= this.#named(build);
      return built;
    };
    // Another file of the same name gets graphs of its own.
    const stored = { files: parts, table, used: weights, runsOnce };
    return graphsOf(this.host).built(
      `${path}/${name} ${modifiedAt}`,
      () => this.#parts(weights, once),
      stored,
    );
  }

  /** The bytes of a tensor. Rejects as reading the file does. */
  read(tensor: StoredTensor): Promise<Uint8Array> {
    return readTensor(this.host.files, this.file, tensor);
  }

  /** The configuration that a safetensors file has as a text. Empty without one. Rejects as reading the file does. */
  async config(): Promise<JsonConfig> {
    const [{ path, size }] = this.file.parts as readonly [WeightFilePart];
    const texts = await readSafetensorsTexts(size, (start, end) =>
      this.host.files.read(path, start, end),
    ).catch((error: unknown) => {
      // Files of torch.save have no texts.
      if (error instanceof ModelCorrupt) return {} as Record<string, string>;
      throw error;
    });
    try {
      return Object(JSON.parse(texts.config ?? '{}')) as JsonConfig;
    } catch {
      return {};
    }
  }

  async #parts(weights: WeightTable, build: () => Uint8Array<ArrayBuffer>): Promise<GraphPart[]> {
    for (const { path, name, size, modifiedAt } of this.file.parts) {
      const now = await this.host.files.stat(path);
      if (now?.size !== size || now.modifiedAt !== modifiedAt)
        throw new ModelCorrupt(`${name} has changed since it was loaded: run the loader again`);
    }
    const bytes = build();
    const graph: BuiltGraphFile = { role: 'weights', name: 'model.onnx', size: bytes.length, bytes };
    const data = this.file.parts.flatMap(({ path, name, size }): NamedGraphFile[] => {
      let used = 0;
      for (const { file, start, end } of weights.values()) if (file === name) used += end - start;
      return used > 0 ? [{ role: 'part', name, size, path, used }] : [];
    });
    return [graph, ...data];
  }

  /** Adds the file's name to the error of a graph that cannot be built. */
  #named(build: () => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    try {
      return build();
    } catch (error) {
      if (!(error instanceof ModelUnsupported)) throw error;
      throw new ModelUnsupported(
        `${this.file.name} cannot be used: ${error.message}. It may be incomplete, or a model of another kind`,
        { cause: error },
      );
    }
  }
}
