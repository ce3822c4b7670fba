/** A field of a protobuf message. */
export interface Field {
  number: number;
  /** The number in a field without a length. */
  value: number;
  /** The content of a field with a length, or of 4 or 8 bytes. */
  bytes: Uint8Array;
}

/**
 * The fields of a message in memory.
 * @throws `TypeError` for bytes that are no message
 */
export function* readFields(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = () => {
    for (let value = 0, digit = 0; digit < 10 && at < bytes.length; digit++) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** (7 * digit);
      if (byte < 0x80) return value;
    }
    throw new TypeError('it is no protobuf message');
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    if (key % 8 === 0) {
      yield { number, value: varint(), bytes: bytes.subarray(at, at) };
      continue;
    }
    const length = lengthOf(key % 8, varint);
    if (at + length > bytes.length) throw new TypeError('it is cut off');
    at += length;
    yield { number, value: 0, bytes: bytes.subarray(at - length, at) };
  }
}

function lengthOf(type: number, varint: () => number): number {
  if (type === 1) return 8;
  if (type === 5) return 4;
  if (type === 2) return varint();
  throw new TypeError('it is no protobuf message');
}
