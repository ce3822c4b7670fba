import type { Files } from '#core/host';
import { blockLayout, type OnnxInitializer, type OnnxOutline, readOnnxOutline } from '#core/tensors';
import type { GraphPart, GraphSource, StoredWeights } from '../../values/model-graph.ts';
import { decodeFloats, isFloatType, storedBytes } from './stored-floats.ts';

/** Reads the files of a graph. */
export class OnnxGraphSource implements GraphSource {
  #last: { stamp: string | Uint8Array; outline: OnnxOutline } | undefined;

  constructor(
    readonly files: Files,
    readonly parts: () => Promise<GraphPart[]>,
    readonly stored?: StoredWeights,
  ) {}

  async outline(): Promise<OnnxOutline> {
    const graph = (await this.parts()).find(({ role }) => role === 'weights')!;
    const { size } = graph;
    // The time counts too: a graph that was saved again may have the same size.
    const stamp =
      'bytes' in graph ? graph.bytes : `${size} ${(await this.files.stat(graph.path))?.modifiedAt}`;
    if (this.#last?.stamp === stamp) return this.#last.outline;
    const read = (start: number, end: number) => readPart(this.files, graph, start, end);
    const outline = this.#withBlocks(await readOnnxOutline(size, read));
    this.#last = { stamp, outline };
    return outline;
  }

  /** Blocks are bytes to the runtime. Here they have the type and shape of their numbers. */
  #withBlocks(outline: OnnxOutline): OnnxOutline {
    const used = this.stored?.used;
    if (!used) return outline;
    const initializers = outline.initializers.map((each) => {
      const tensor = used.get(each.name);
      if (!tensor || !blockLayout(tensor.type)) return each;
      return { ...each, type: tensor.type, shape: [...tensor.shape] };
    });
    return { ...outline, initializers };
  }

  async numbers(name: string): Promise<{ initializer: OnnxInitializer; numbers: Float32Array }> {
    const initializer = await this.initializer(name);
    return { initializer, numbers: await this.rows(initializer, 0, initializer.shape[0] ?? 1) };
  }

  async initializer(name: string): Promise<OnnxInitializer> {
    const { initializers } = await this.outline();
    const found = initializers.find((initializer) => initializer.name === name);
    if (!found) throw new Error(`the graph has no weights called ${name}`);
    return found;
  }

  async rows(
    { name, type, shape, location }: OnnxInitializer,
    start: number,
    end: number,
  ): Promise<Float32Array> {
    if (!location || !isFloatType(type))
      throw new Error(
        `the weights ${name} of the graph are stored as ${type}: only F32, F16 and BF16 can be read here`,
      );
    const part = await this.#partOf(location.file);
    const row = shape.slice(1).reduce((product, side) => product * side, 1);
    const { elements = 1 } = blockLayout(type) ?? {};
    // Blocks that contain parts of several rows are read completely.
    const [from, to] = [Math.floor((start * row) / elements), Math.ceil((end * row) / elements)];
    const at = (block: number) => location.start + storedBytes(type, block * elements);
    const numbers = decodeFloats(await readPart(this.files, part, at(from), at(to)), type);
    return numbers.subarray(start * row - from * elements, end * row - from * elements);
  }

  /** Undefined stands for the graph's own file. */
  async #partOf(file: string | undefined): Promise<GraphPart> {
    const parts = await this.parts();
    const found = parts.find((part) => (file === undefined ? part.role === 'weights' : part.name === file));
    if (!found) throw new Error(`the graph's weights lie in a file that is missing: ${file}`);
    return found;
  }
}

/** Bytes [start, end) of a file of a graph. */
export const readPart = async (
  files: Files,
  part: GraphPart,
  start: number,
  end: number,
): Promise<Uint8Array> =>
  'bytes' in part ? part.bytes.subarray(start, end) : files.read(part.path, start, end);
