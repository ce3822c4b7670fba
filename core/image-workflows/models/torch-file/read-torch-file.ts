/** Reads files of torch.save as data. No function that a file names is ever called. */
import { ModelCorrupt } from '#core/host';
import type { ReadRange, SafetensorsEntry } from '#core/tensors';
import { readLegacyLayout } from './legacy-layout.ts';
import { stateDict } from './state-dict.ts';
import { readZipLayout } from './zip-layout.ts';

/** The first bytes of a zip archive. */
const ZIP = [0x50, 0x4b, 3, 4];
/** The first byte of a pickle, which its protocol follows. */
const PICKLE = 0x80;

/**
 * Whether a file begins as a zip archive or a pickle, and not as a safetensors file does.
 * @param start its first 8 bytes
 * @param size bytes of the file
 */
export function isTorchFile(start: Uint8Array, size: number): boolean {
  if (isZip(start)) return true;
  if (start.length < 8 || start[0] !== PICKLE || start[1]! < 2 || start[1]! > 5) return false;
  // A safetensors file begins with the length of its table, which is smaller than the file.
  const length = Number(new DataView(start.buffer, start.byteOffset, 8).getBigUint64(0, true));
  return length > size - 8;
}

/**
 * The saved value: maps, arrays, numbers, texts and tensors. No weights are read.
 * Rejects with `ModelCorrupt` for damaged files, and with `ModelUnsupported` for values of other kinds.
 * @param size bytes of the file
 */
export async function readTorchFile(size: number, read: ReadRange): Promise<unknown> {
  const start = await read(0, Math.min(size, 8));
  if (!isTorchFile(start, size)) throw new ModelCorrupt('it is no file of torch.save');
  return isZip(start) ? readZipLayout(size, read) : readLegacyLayout(size, read);
}

/**
 * The tensors of the saved state, with their bytes [start, end) of the file. Views of one storage may overlap.
 * Rejects as `readTorchFile` does, and with `ModelUnsupported` for tensors that are not contiguous.
 * @param size bytes of the file
 */
export async function readTorchTable(size: number, read: ReadRange): Promise<SafetensorsEntry[]> {
  return stateDict(await readTorchFile(size, read)).map(([name, tensor]) => ({
    name,
    type: tensor.type,
    shape: [...tensor.shape],
    ...tensor.range(name),
  }));
}

const isZip = (start: Uint8Array): boolean => ZIP.every((byte, index) => start[index] === byte);
