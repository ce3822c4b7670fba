/** Reads all attributes of a graph's nodes. `readOnnxOutline` has the integer ones alone. */
import { forEachField, ProtobufReader, type ReadRange } from './protobuf-reader.ts';

/** Numbers, lists of numbers and texts. Others, such as subgraphs, are left out. */
export type NodeAttributes = Readonly<Record<string, number | readonly number[] | string>>;

/** `AttributeProto.AttributeType` of ONNX. */
const TYPES = { float: 1, int: 2, text: 3, floats: 6, ints: 7 } as const;

/**
 * The attributes of each node by the name of its first output. Rejects with `ModelCorrupt`.
 * @param size bytes of the file
 */
export async function readNodeAttributes(
  size: number,
  read: ReadRange,
): Promise<Map<string, NodeAttributes>> {
  const reader = new ProtobufReader(size, read);
  const found = new Map<string, NodeAttributes>();
  // ModelProto: 7 graph. GraphProto: 1 node. NodeProto: 2 output, 5 attribute.
  await forEachField(reader, size, async (inModel, graphEnd) => {
    if (inModel !== 7 || graphEnd === undefined) return;
    await forEachField(reader, graphEnd, async (inGraph, nodeEnd) => {
      if (inGraph !== 1 || nodeEnd === undefined) return;
      let output: string | undefined;
      const attributes: Record<string, number | readonly number[] | string> = {};
      await forEachField(reader, nodeEnd, async (inNode, end) => {
        if (end === undefined) return;
        if (inNode === 2) output ??= await reader.text(end);
        if (inNode !== 5) return;
        const [name, value] = parseAttribute(await read(reader.at, end));
        if (value !== undefined) attributes[name] = value;
      });
      if (output !== undefined) found.set(output, attributes);
    });
  });
  return found;
}

/** AttributeProto: 1 name, 2 f, 3 i, 4 s, 7 floats, 8 ints, 20 type. Lists come one by one, or packed into one field. */
function parseAttribute(bytes: Uint8Array): [name: string, value: NodeAttributes[string] | undefined] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (start: number, end: number) => new TextDecoder().decode(bytes.subarray(start, end));
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; at < bytes.length; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return BigInt.asIntN(64, value);
  };
  let [name, type, single, word] = ['', 0, 0, ''];
  const list: number[] = [];
  while (at < bytes.length) {
    const key = Number(varint());
    const field = key >> 3;
    if (key % 8 === 0) {
      const value = Number(varint());
      if (field === 20) type = value;
      else if (field === 8) list.push(value);
      else single = value;
    } else if (key % 8 === 5 && at + 4 <= bytes.length) {
      const value = view.getFloat32(at, true);
      at += 4;
      if (field === 7) list.push(value);
      else single = value;
    } else if (key % 8 === 2) {
      const end = Math.min(Number(varint()) + at, bytes.length);
      if (field === 1) name = text(at, end);
      else if (field === 4) word = text(at, end);
      else if (field === 8) while (at < end) list.push(Number(varint()));
      else if (field === 7) for (; at + 4 <= end; at += 4) list.push(view.getFloat32(at, true));
      at = end;
    } else break;
  }
  if (type === TYPES.text) return [name, word];
  if (type === TYPES.ints || type === TYPES.floats) return [name, list];
  return [name, type === TYPES.int || type === TYPES.float ? single : undefined];
}
