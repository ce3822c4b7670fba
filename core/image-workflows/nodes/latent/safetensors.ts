/** Safetensors files: a JSON header with names, shapes and offsets, then the numbers, little endian. */
import { elementCount, type FloatTensor, tensorOf } from '../../values/tensor.ts';

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** Bytes. A longer header is refused. */
const MAX_HEADER = 16 * 1024 * 1024;

/** The bytes of a file with 32-bit float tensors. */
export function encodeSafetensors(
  tensors: Readonly<Record<string, FloatTensor>>,
  metadata: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header.__metadata__ = metadata;
  let end = 0;
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + data.length * 4] };
    end += data.length * 4;
  }
  const text = JSON.stringify(header);
  // The format recommends that the numbers begin at a multiple of 8.
  const head = new TextEncoder().encode(
    text + ' '.repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8),
  );
  const bytes = new Uint8Array(8 + head.length + end);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(head.length), true);
  bytes.set(head, 8);
  let at = 8 + head.length;
  for (const { data } of Object.values(tensors)) {
    for (const value of data) {
      view.setFloat32(at, value, true);
      at += 4;
    }
  }
  return bytes;
}

/** The tensors of 32-bit floats by name. Skips other types. Throws an error that names the fault of a damaged file. */
export function decodeSafetensors(bytes: Uint8Array): Map<string, FloatTensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < 8 ? -1 : Number(view.getBigUint64(0, true));
  if (length < 2 || length > MAX_HEADER || 8 + length > bytes.length)
    throw new Error('the file is no safetensors file, or is cut off');
  let header: Record<string, Entry>;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as Record<string, Entry>;
  } catch (cause) {
    throw new Error('the header of the safetensors file is damaged', { cause });
  }
  const found = new Map<string, FloatTensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__' || entry.dtype !== 'F32') continue;
    const [start, end] = entry.data_offsets;
    const count = elementCount(entry.shape);
    if (end - start !== count * 4 || 8 + length + end > bytes.length)
      throw new Error(`the tensor ${name} of the safetensors file is damaged or cut off`);
    const data = Float32Array.from({ length: count }, (_, index) =>
      view.getFloat32(8 + length + start + index * 4, true),
    );
    found.set(name, tensorOf(entry.shape, data));
  }
  return found;
}
