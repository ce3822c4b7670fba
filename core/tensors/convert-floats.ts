/** Weights of 16-bit floats, given to the runtime as floats that its device computes with. */
import { concatBytes } from '#core/base';
import { bfloats, halfFloats, toHalf } from './gguf/half.ts';
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
const BFLOAT16 = 16;

/** From a type of 16-bit floats to another type of floats. Types are those of `TensorProto.DataType`. */
export interface FloatConversion {
  readonly from: number;
  readonly to: number;
  /** Bytes of a number afterwards. */
  readonly size: 2 | 4;
  /** @param bytes of complete numbers, little endian */
  convert(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}

const bytesOf = ({ buffer }: Float32Array<ArrayBuffer>) => new Uint8Array(buffer);

export const HALF_TO_SINGLE: FloatConversion = {
  from: FLOAT16,
  to: FLOAT,
  size: 4,
  convert: (bytes) => bytesOf(halfFloats(bytes)),
};

export const BFLOAT_TO_SINGLE: FloatConversion = {
  from: BFLOAT16,
  to: FLOAT,
  size: 4,
  convert: (bytes) => bytesOf(bfloats(bytes)),
};

/** The largest number of type F16. */
const LARGEST_HALF = 65504;
let halves: Uint16Array | undefined;

/**
 * Exact from 2⁻¹⁴ to 65504. Smaller numbers are off by 2⁻²⁵ at most. Larger ones become 65504, since an infinite weight
 * would make every result infinite.
 */
export const BFLOAT_TO_HALF: FloatConversion = {
  from: BFLOAT16,
  to: FLOAT16,
  size: 2,
  convert(bytes) {
    halves ??= everyHalf();
    const found = new Uint16Array(bytes.length / 2);
    for (let at = 0; at < found.length; at++) found[at] = halves[bytes[2 * at]! | (bytes[2 * at + 1]! << 8)]!;
    return new Uint8Array(found.buffer);
  },
};

/** The bits in F16 of each number of type BF16. A table is faster than a conversion. */
function everyHalf(): Uint16Array {
  const numbers = bfloats(new Uint8Array(Uint16Array.from({ length: 0x10000 }, (_, bits) => bits).buffer));
  return Uint16Array.from(numbers, (number) =>
    toHalf(Number.isFinite(number) ? Math.max(-LARGEST_HALF, Math.min(LARGEST_HALF, number)) : number),
  );
}

/** External data as the runtime receives it, by its name in the graph. */
export interface NamedData {
  path: string;
  data: Uint8Array | Blob;
}

/**
 * Gives every external tensor of these types other floats, with data of its own. Nodes that convert it then run on the
 * GPU, or have nothing to do. Left to the CPU, they would convert and send all weights in every run.
 * @returns a new graph, and the data that it uses. That of a `Blob` is converted while it is read.
 * @throws ModelCorrupt
 */
export async function convertFloats(
  graph: Uint8Array,
  parts: readonly NamedData[],
  conversions: readonly FloatConversion[],
): Promise<{ graph: Uint8Array; parts: NamedData[] }> {
  if (conversions.length === 0) return { graph, parts: [...parts] };
  const byType = new Map(conversions.map((conversion) => [conversion.from, conversion]));
  const conversionOf = ({ type }: ExternalTensor) => type && byType.get(type.value);
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  const byPath = new Map(parts.map((part) => [part.path, part]));
  const typed = graph.slice();
  const texts: FieldText[] = [];
  const own: NamedData[] = [];
  for (const tensor of tensors) {
    const conversion = conversionOf(tensor);
    const source = byPath.get(fileOf(tensor));
    // The runtime reports data that is missing.
    if (!conversion || !source) continue;
    const path = `converted-floats-${own.length}`;
    const data = converted(source, tensor, conversion);
    own.push({ path, data });
    typed[tensor.type!.at] = conversion.to;
    texts.push({ ...tensor.location, text: path });
    if (tensor.offset) texts.push({ ...tensor.offset, text: '0' });
    if (tensor.length)
      texts.push({ ...tensor.length, text: String(data instanceof Blob ? data.size : data.length) });
  }
  if (own.length === 0) return { graph, parts: [...parts] };
  const others = new Set(tensors.filter((tensor) => !conversionOf(tensor)).map(fileOf));
  return {
    graph: await replaceTexts(typed, texts),
    parts: [...parts.filter(({ path }) => others.has(path)), ...own],
  };
}

function converted(
  { data }: NamedData,
  { offset, length }: ExternalTensor,
  conversion: FloatConversion,
): Uint8Array | Blob {
  const start = Number(offset?.text ?? 0);
  const end = length && start + Number(length.text);
  return data instanceof Uint8Array
    ? conversion.convert(data.subarray(start, end))
    : new ConvertedBlob(data.slice(start, end), conversion);
}

/**
 * A `Blob` of 16-bit floats that reads as other floats. A browser holds `Blob`s of new bytes in memory, 2 GB of them at
 * most where it may not write to a disk.
 */
class ConvertedBlob extends Blob {
  declare readonly size: number;

  constructor(
    private readonly stored: Blob,
    private readonly conversion: FloatConversion,
  ) {
    super([]);
    // `Blob` has a getter, which no field may override in TypeScript.
    Object.defineProperty(this, 'size', { value: (stored.size / 2) * conversion.size });
  }

  /** @throws RangeError for a place inside of a number */
  override slice(start = 0, end = this.size): Blob {
    const { size } = this.conversion;
    if (start % size !== 0 || end % size !== 0) throw new RangeError(`${start} to ${end} cuts a number`);
    return new ConvertedBlob(this.stored.slice((start / size) * 2, (end / size) * 2), this.conversion);
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { conversion } = this;
    // The first byte of a number whose second byte is in the next piece.
    let rest = new Uint8Array(0);
    return this.stored.stream().pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(piece, controller) {
          const bytes = rest.length > 0 ? concatBytes([rest, piece]) : piece;
          const even = bytes.length - (bytes.length % 2);
          rest = bytes.slice(even);
          if (even > 0) controller.enqueue(conversion.convert(bytes.subarray(0, even)));
        },
      }),
    );
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return this.conversion.convert(new Uint8Array(await this.stored.arrayBuffer())).buffer;
  }
}
