import type { FilePath, Files, NamedGraphFile } from '#core/host';
import { type OnnxInitializer, type OnnxOutline, readOnnxOutline } from '#core/tensors';
import type { GraphSource } from '../../values/model-graph.ts';
import { decodeFloats, isFloatType } from './stored-floats.ts';

/** The files of a graph, and what stands in them. */
export class OnnxGraphSource implements GraphSource {
  #known: { stamp: string; outline: OnnxOutline } | undefined;

  constructor(
    readonly files: Files,
    /** Looked at whenever it is opened. Throws where there is no graph. */
    readonly parts: () => Promise<NamedGraphFile[]>,
  ) {}

  /** Read again when another file is there than before. Throws `ModelCorrupt`. */
  async outline(): Promise<OnnxOutline> {
    const { path, size } = (await this.parts()).find(({ role }) => role === 'weights')!;
    // One that is saved anew may be as long as the last.
    const stamp = `${size} ${(await this.files.stat(path))?.modifiedAt}`;
    if (this.#known?.stamp === stamp) return this.#known.outline;
    const outline = await readOnnxOutline(size, (start, end) => this.files.read(path, start, end));
    this.#known = { stamp, outline };
    return outline;
  }

  /** All numbers of a weight. Throws where they are no floats, or lie where they cannot be read. */
  async numbers(name: string): Promise<{ initializer: OnnxInitializer; numbers: Float32Array }> {
    const initializer = await this.initializer(name);
    return { initializer, numbers: await this.rows(initializer, 0, initializer.shape[0] ?? 1) };
  }

  async initializer(name: string): Promise<OnnxInitializer> {
    const { initializers } = await this.outline();
    const found = initializers.find((one) => one.name === name);
    if (!found) throw new Error(`the graph has no weights called ${name}`);
    return found;
  }

  /** Numbers [start, end) along the first side. */
  async rows(
    { name, type, shape, location: place }: OnnxInitializer,
    start: number,
    end: number,
  ): Promise<Float32Array> {
    if (!place || !isFloatType(type))
      throw new Error(
        `the weights ${name} of the graph are kept as ${type}: only F32, F16 and BF16 can be read here`,
      );
    const path = await this.#pathOf(place.file);
    const width = shape.slice(1).reduce((product, side) => product * side, type === 'F32' ? 4 : 2);
    return decodeFloats(
      await this.files.read(path, place.start + start * width, place.start + end * width),
      type,
    );
  }

  async #pathOf(file: string | undefined): Promise<FilePath> {
    const parts = await this.parts();
    const found = parts.find((part) => (file === undefined ? part.role === 'weights' : part.name === file));
    if (!found) throw new Error(`the graph's weights lie in a file that is not there: ${file}`);
    return found.path;
  }
}
