/** Floats as model files store them, little endian: F32, F16, BF16, and the blocks of GGUF files. */
import { bfloats, blockFloats, blockLayout, halfFloats, toHalf } from '#core/tensors';

const BYTES: Record<string, number> = { F32: 4, F16: 2, BF16: 2 };

/** On little-endian machines, F32 bytes need only be copied. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Whether numbers of a type can be read. Blocks cannot be written. */
export const isFloatType = (type: string): boolean =>
  Object.hasOwn(BYTES, type) || blockLayout(type) !== undefined;

/** The bytes of some numbers of a type that can be read. */
export function storedBytes(type: string, count: number): number {
  const layout = blockLayout(type);
  return layout ? (count / layout.elements) * layout.bytes : count * bytesOf(type);
}

/**
 * @param bytes of blocks complete ones
 * @throws TypeError for types that cannot be read
 */
export function decodeFloats(bytes: Uint8Array, type: string): Float32Array {
  if (blockLayout(type)) return blockFloats(bytes, type);
  if (type === 'F16') return halfFloats(bytes);
  const size = bytesOf(type);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === 'F32' && isLittleEndian) return new Float32Array(bytes.slice().buffer);
  if (type === 'BF16') return bfloats(bytes);
  const numbers = new Float32Array(bytes.length / size);
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat32(i * 4, true);
  return numbers;
}

/**
 * Rounds to the nearest number of the type, ties to even.
 *
 * @throws TypeError for types other than F32, F16 and BF16.
 */
export function encodeFloats(numbers: Float32Array, type: string): Uint8Array<ArrayBuffer> {
  const size = bytesOf(type);
  if (type === 'F32' && isLittleEndian) return new Uint8Array(numbers.slice().buffer);
  const bytes = new Uint8Array(numbers.length * size);
  const view = new DataView(bytes.buffer);
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    if (type === 'F32') view.setFloat32(i * 4, numbers[i]!, true);
    else if (type === 'F16') view.setUint16(i * 2, toHalf(numbers[i]!), true);
    else view.setUint16(i * 2, (bits[i]! + 0x7fff + ((bits[i]! >>> 16) & 1)) >>> 16, true);
  }
  return bytes;
}

function bytesOf(type: string): number {
  const size = BYTES[type];
  if (size === undefined)
    throw new TypeError(`numbers of type ${type} cannot be changed here, only F32, F16 and BF16`);
  return size;
}
