/** Weights of 16-bit floats, given to the runtime as 32-bit floats: for GPUs whose shaders have no 16-bit floats. */
import { halfFloat } from './gguf/half.ts';
import { type ExternalTensor, type FieldText, readExternalTensors } from './onnx-file/external-data.ts';
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
 * @param asBlob whether new data may be `Blob`s, which are not held in this worker's memory
 * @returns a new graph, and the data that it uses
 * @throws ModelCorrupt
 */
export async function widenHalves(
  graph: Uint8Array,
  parts: readonly NamedData[],
  asBlob: boolean,
): Promise<{ graph: Uint8Array; parts: NamedData[] }> {
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  const halves = tensors.filter(({ type }) => type?.value === FLOAT16);
  if (halves.length === 0) return { graph, parts: [...parts] };
  const byPath = new Map(parts.map((part) => [part.path, part]));
  const typed = graph.slice();
  const texts: FieldText[] = [];
  const wide: NamedData[] = [];
  for (const [index, tensor] of halves.entries()) {
    const source = byPath.get(pathOf(tensor));
    // The runtime reports data that is missing.
    if (!source) continue;
    const path = `32-bit-floats-${index}`;
    const floats = widened(await bytesOf(source, tensor));
    wide.push({ path, data: asBlob ? new Blob([floats]) : new Uint8Array(floats.buffer) });
    typed[tensor.type!.at] = FLOAT;
    texts.push({ ...tensor.location, text: path });
    if (tensor.offset) texts.push({ ...tensor.offset, text: '0' });
    if (tensor.length) texts.push({ ...tensor.length, text: String(floats.byteLength) });
  }
  const others = new Set(tensors.filter((tensor) => !halves.includes(tensor)).map(pathOf));
  return {
    graph: await replaceTexts(typed, texts),
    parts: [...parts.filter(({ path }) => others.has(path)), ...wide],
  };
}

const pathOf = ({ location }: ExternalTensor): string => location.text.replace(/^\.\//, '');

async function bytesOf({ data }: NamedData, { offset, length }: ExternalTensor): Promise<Uint8Array> {
  const start = Number(offset?.text ?? 0);
  const end = length && start + Number(length.text);
  if (data instanceof Uint8Array) return data.subarray(start, end);
  return new Uint8Array(await data.slice(start, end).arrayBuffer());
}

let numbers: Float32Array | undefined;

/** The numbers of 16-bit floats, little endian. */
function widened(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  numbers ??= Float32Array.from({ length: 0x10000 }, (_, bits) => halfFloat(bits));
  const floats = new Float32Array(bytes.length / 2);
  for (let at = 0; at < floats.length; at++)
    floats[at] = numbers[bytes[2 * at]! | (bytes[2 * at + 1]! << 8)]!;
  return floats;
}
