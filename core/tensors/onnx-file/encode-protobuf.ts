/** Writes protobuf messages: the four kinds of fields that ONNX files need. */
import { concatBytes } from '#core/base';

/** A field's number and value. Numbers are written as varints, `{ float }` as 32 bits, texts in UTF-8. */
export type ProtobufField = [
  number: number,
  value: string | Uint8Array | number | bigint | { float: number } | ProtobufMessage,
];

/** A message to encode. Its fields are written in this order. */
export interface ProtobufMessage {
  fields: ProtobufField[];
}

/** A message of the fields that are defined. */
export const protobufMessage = (...fields: (ProtobufField | undefined)[]): ProtobufMessage => ({
  fields: fields.filter((field) => field !== undefined),
});

/** The bytes of a message, with its fields in the order of the list. */
export function encodeProtobuf({ fields }: ProtobufMessage): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for (const [number, value] of fields) {
    if (typeof value === 'number' || typeof value === 'bigint') {
      parts.push(varint(BigInt(number << 3)), varint(BigInt.asUintN(64, BigInt(value))));
    } else if (typeof value === 'object' && 'float' in value) {
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setFloat32(0, value.float, true);
      parts.push(varint(BigInt((number << 3) | 5)), bytes);
    } else {
      const bytes =
        typeof value === 'string'
          ? new TextEncoder().encode(value)
          : value instanceof Uint8Array
            ? value
            : encodeProtobuf(value);
      parts.push(varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes);
    }
  }
  return concatBytes(parts);
}

/** Seven bits a byte, the lowest first; the high bit says that another byte follows. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
