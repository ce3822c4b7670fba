/** Where an ONNX file says that its weights lie in other files. */
import { forEachField, ProtobufReader, type ReadRange } from './protobuf-reader.ts';

/** A tensor that lies in another file. */
export interface ExternalTensor {
  /** As it is written, `./` and all, and where that stands in the graph's file. */
  location: Written;
  /** undefined: 0. */
  offset: Written | undefined;
  /** undefined: all that follows. */
  length: number | undefined;
}

export interface Written {
  text: string;
  start: number;
  end: number;
}

/** Messages by the numbers of their fields, as far as tensors are in them: onnx.proto. */
const INSIDE = {
  model: { 7: 'graph' },
  graph: { 1: 'node', 5: 'tensor' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph' },
} as const satisfies Record<string, Record<number, string>>;

/** Throws `ModelCorrupt`. */
export async function readExternalTensors(size: number, read: ReadRange): Promise<ExternalTensor[]> {
  const cursor = new ProtobufReader(size, read);
  const found: ExternalTensor[] = [];
  const walk = async (kind: string, end: number): Promise<void> => {
    if (kind === 'tensor') {
      const tensor = await readTensor(cursor, end);
      if (tensor) found.push(tensor);
      return;
    }
    await forEachField(cursor, end, async (field, stop) => {
      const inner = (INSIDE[kind as keyof typeof INSIDE] as Record<number, string>)[field];
      if (inner !== undefined && stop !== undefined) await walk(inner, stop);
    });
  };
  await walk('model', size);
  return found;
}

/** TensorProto: its field 13 holds pairs of texts. */
async function readTensor(cursor: ProtobufReader, end: number): Promise<ExternalTensor | undefined> {
  const pairs: Record<string, Written> = {};
  await forEachField(cursor, end, async (field, stop) => {
    if (field !== 13 || stop === undefined) return;
    let key = '';
    let value: Written | undefined;
    await forEachField(cursor, stop, async (inner, innerEnd) => {
      if (innerEnd === undefined) return;
      const start = cursor.at;
      const text = await cursor.text(innerEnd);
      if (inner === 1) key = text;
      else if (inner === 2) value = { text, start, end: innerEnd };
    });
    if (value) pairs[key] = value;
  });
  const { location, offset, length } = pairs;
  return location && { location, offset, length: length && Number(length.text) };
}
