/** Weights of 16-bit floats, given to the runtime as 32-bit floats: for GPUs whose shaders have no 16-bit floats. */
import { concatBytes } from '#core/base';
import { halfFloats } from './gguf/half.ts';
import {
  type ExternalTensor,
  type FieldText,
  fileOf,
  readExternalTensors,
} from './onnx-file/external-data.ts';
import { replaceTexts } from './rename-external-data.ts';

/** `TensorProto.DataType` of ONNX. */
const FLOAT = 1;
const FLOAT16 = 10;

/** External data as the runtime receives it, by its name in the graph. */
export interface NamedData {
  path: string;
  data: Uint8Array | Blob;
}

/**
 * Makes every external tensor of 16-bit floats one of 32-bit floats, with data of its own. Nodes that convert it then
 * have nothing to do. The GPU takes each weight once, when the graph opens. Left to the CPU, they would convert and send
 * all weights in every run.
 * @returns a new graph, and the data that it uses. That of a `Blob` is converted while it is read.
 * @throws ModelCorrupt
 */
export async function widenHalves(
  graph: Uint8Array,
  parts: readonly NamedData[],
): Promise<{ graph: Uint8Array; parts: NamedData[] }> {
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  const halves = tensors.filter(({ type }) => type?.value === FLOAT16);
  if (halves.length === 0) return { graph, parts: [...parts] };
  const byPath = new Map(parts.map((part) => [part.path, part]));
  const typed = graph.slice();
  const texts: FieldText[] = [];
  const wide: NamedData[] = [];
  for (const [index, tensor] of halves.entries()) {
    const source = byPath.get(fileOf(tensor));
    // The runtime reports data that is missing.
    if (!source) continue;
    const path = `32-bit-floats-${index}`;
    const data = widened(source, tensor);
    wide.push({ path, data });
    typed[tensor.type!.at] = FLOAT;
    texts.push({ ...tensor.location, text: path });
    if (tensor.offset) texts.push({ ...tensor.offset, text: '0' });
    if (tensor.length)
      texts.push({ ...tensor.length, text: String(data instanceof Blob ? data.size : data.length) });
  }
  const others = new Set(tensors.filter(({ type }) => type?.value !== FLOAT16).map(fileOf));
  return {
    graph: await replaceTexts(typed, texts),
    parts: [...parts.filter(({ path }) => others.has(path)), ...wide],
  };
}

function widened({ data }: NamedData, { offset, length }: ExternalTensor): Uint8Array | Blob {
  const start = Number(offset?.text ?? 0);
  const end = length && start + Number(length.text);
  return data instanceof Uint8Array
    ? new Uint8Array(halfFloats(data.subarray(start, end)).buffer)
    : new WidenedBlob(data.slice(start, end));
}

/**
 * A `Blob` of 16-bit floats that reads as 32-bit floats. A browser holds `Blob`s of new bytes in memory, 2 GB of them at
 * most where it may not write to a disk.
 */
class WidenedBlob extends Blob {
  declare readonly size: number;

  constructor(private readonly halves: Blob) {
    super([]);
    // `Blob` has a getter, which no field may override in TypeScript.
    Object.defineProperty(this, 'size', { value: 2 * halves.size });
  }

  /** @throws RangeError for a place inside of a number */
  override slice(start = 0, end = this.size): Blob {
    if (start % 4 !== 0 || end % 4 !== 0) throw new RangeError(`${start} to ${end} cuts a number`);
    return new WidenedBlob(this.halves.slice(start / 2, end / 2));
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    // The first byte of a number whose second byte is in the next piece.
    let rest = new Uint8Array(0);
    return this.halves.stream().pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(piece, controller) {
          const bytes = rest.length > 0 ? concatBytes([rest, piece]) : piece;
          const even = bytes.length - (bytes.length % 2);
          rest = bytes.slice(even);
          if (even > 0) controller.enqueue(new Uint8Array(halfFloats(bytes.subarray(0, even)).buffer));
        },
      }),
    );
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return halfFloats(new Uint8Array(await this.halves.arrayBuffer())).buffer;
  }
}
