import { FileMissing, type FilePath, type Host } from '#core/host';
import type { JsonObject, ModelGraph } from '../../values/model-graph.ts';
import { graphsOf } from '../graphs/graph-registry.ts';

/** A folder of a model's files: configurations, vocabularies, graphs. */
export class ModelFolder {
  constructor(
    readonly host: Host,
    readonly path: FilePath,
  ) {}

  at(part: string): ModelFolder {
    return part === '' ? this : new ModelFolder(this.host, `${this.path}/${part}`);
  }

  /** undefined: there is no such file. */
  async text(name: string): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await this.host.files.read(`${this.path}/${name}`));
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  }

  /** undefined: there is no such file. Throws for one that is no JSON. */
  async json(name: string): Promise<JsonObject | undefined> {
    const found = await this.text(name);
    if (found === undefined) return undefined;
    try {
      return JSON.parse(found) as JsonObject;
    } catch (error) {
      throw new Error(`${this.path}/${name} is not JSON: ${(error as Error).message}`, { cause: error });
    }
  }

  async has(name: string): Promise<boolean> {
    return (await this.host.files.stat(`${this.path}/${name}`)) !== undefined;
  }

  /** The first of these folders that holds a graph. */
  async folderWithGraph(...parts: readonly string[]): Promise<string | undefined> {
    for (const part of parts) if (await this.at(part).has('model.onnx')) return part;
    return undefined;
  }

  /** `model.onnx` in it. */
  get graph(): ModelGraph {
    return graphsOf(this.host).at(this.path);
  }
}

export const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
