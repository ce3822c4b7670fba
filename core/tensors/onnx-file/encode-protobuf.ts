/** The few shapes of protobuf that an ONNX file needs, to be written. */
export type ProtobufField = [
  number: number,
  value: string | Uint8Array | number | bigint | { float: number } | ProtobufMessage,
];

export interface ProtobufMessage {
  fields: ProtobufField[];
}

export const protobufMessage = (...fields: (ProtobufField | undefined)[]): ProtobufMessage => ({
  fields: fields.filter((field) => field !== undefined),
});

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
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  do {
    const low = Number(left & 0x7fn);
    left >>= 7n;
    bytes.push(left > 0n ? low | 0x80 : low);
  } while (left > 0n);
  return Uint8Array.from(bytes);
}
