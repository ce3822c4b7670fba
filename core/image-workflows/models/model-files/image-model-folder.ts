import { FileMissing, type FilePath, type Host } from '#core/host';
import type { JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';

/** A folder with a model's files: configurations, vocabularies and graphs. */
export class ImageModelFolder {
  constructor(
    readonly host: Host,
    readonly path: FilePath,
  ) {}

  subfolder(part: string): ImageModelFolder {
    return part === '' ? this : new ImageModelFolder(this.host, `${this.path}/${part}`);
  }

  /** Undefined when the file is missing. */
  async text(name: string): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await this.host.files.read(`${this.path}/${name}`));
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  }

  /** Reads a JSON file. Undefined when it is missing. Rejects when it is not JSON. */
  async readJson(name: string): Promise<JsonConfig | undefined> {
    const text = await this.text(name);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as JsonConfig;
    } catch (error) {
      throw new Error(`${this.path}/${name} is not JSON: ${(error as Error).message}`, { cause: error });
    }
  }

  async has(name: string): Promise<boolean> {
    return (await this.host.files.stat(`${this.path}/${name}`)) !== undefined;
  }

  /** The first of these folders that holds a `model.onnx`. */
  async folderWithGraph(...parts: readonly string[]): Promise<string | undefined> {
    for (const part of parts) if (await this.subfolder(part).has('model.onnx')) return part;
    return undefined;
  }

  /** The `model.onnx` of the folder, or the `.onnx` file at its path. */
  get graph(): ModelGraph {
    return graphsOf(this.host).at(this.path);
  }
}

export const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
