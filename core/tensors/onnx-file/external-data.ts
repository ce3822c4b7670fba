/** Finds the places of an ONNX file that refer to weights in other files. Field numbers are those of onnx.proto. */
import { forEachField, ProtobufReader, type ReadRange } from './protobuf-reader.ts';

/** A tensor whose numbers lie in another file. */
export interface ExternalTensor {
  /** The name of the file as it is written, with a possible `./`. */
  location: FieldText;
  /** The offset in that file, in decimal digits. Undefined: 0. */
  offset: FieldText | undefined;
  /** Bytes, in decimal digits. Undefined: up to the end of the file. */
  length: FieldText | undefined;
  /** The type of its numbers, and where the graph's file has the last byte of it. */
  type: { value: number; at: number } | undefined;
}

/** A text, and its bytes [start, end) in the graph's file. */
export interface FieldText {
  text: string;
  start: number;
  end: number;
}

/** The name of a tensor's file, without a `./` in front. */
export const fileOf = ({ location }: ExternalTensor): string => location.text.replace(/^\.\//, '');

type MessageKind = 'model' | 'graph' | 'node' | 'attribute' | 'tensor';

/** The messages that can hold tensors: their fields, and the kind of message in each field. */
const NESTED: Record<Exclude<MessageKind, 'tensor'>, Record<number, MessageKind>> = {
  model: { 7: 'graph' },
  graph: { 1: 'node', 5: 'tensor' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph' },
};

/**
 * All tensors with external data, those of subgraphs included. Rejects with `ModelCorrupt`.
 * @param size bytes of the graph's file
 */
export async function readExternalTensors(size: number, read: ReadRange): Promise<ExternalTensor[]> {
  const reader = new ProtobufReader(size, read);
  const tensors: ExternalTensor[] = [];
  const walk = async (kind: MessageKind, end: number): Promise<void> => {
    if (kind === 'tensor') {
      const tensor = await readTensor(reader, end);
      if (tensor) tensors.push(tensor);
      return;
    }
    await forEachField(reader, end, async (field, fieldEnd) => {
      const nested = NESTED[kind][field];
      if (nested !== undefined && fieldEnd !== undefined) await walk(nested, fieldEnd);
    });
  };
  await walk('model', size);
  return tensors;
}

/** TensorProto: 2 data_type, 13 external_data, which holds pairs of texts (StringStringEntryProto). */
async function readTensor(reader: ProtobufReader, end: number): Promise<ExternalTensor | undefined> {
  const pairs: Record<string, FieldText> = {};
  let type: ExternalTensor['type'];
  await forEachField(reader, end, async (field, fieldEnd, value) => {
    if (field === 2 && fieldEnd === undefined) type = { value, at: reader.at - 1 };
    if (field !== 13 || fieldEnd === undefined) return;
    let key = '';
    let content: FieldText | undefined;
    await forEachField(reader, fieldEnd, async (inner, innerEnd) => {
      if (innerEnd === undefined) return;
      const start = reader.at;
      const text = await reader.text(innerEnd);
      if (inner === 1) key = text;
      else if (inner === 2) content = { text, start, end: innerEnd };
    });
    if (content) pairs[key] = content;
  });
  const { location, offset, length } = pairs;
  return location && { location, offset, length, type };
}
