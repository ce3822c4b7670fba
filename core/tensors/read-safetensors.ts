import { ModelCorrupt } from '#core/host';

/** A tensor in a safetensors file. Its bytes are [start, end), counted from the beginning of the file. */
export interface SafetensorsEntry {
  name: string;
  /** `F32`, `F16`, `BF16`, … as the file spells it. */
  type: string;
  shape: number[];
  start: number;
  end: number;
}

/** Bytes. A file with a larger table counts as damaged. */
const MAX_HEADER = 16 * 1024 * 1024;

/**
 * Reads the table of tensors at the beginning of a safetensors file.
 * Rejects with `ModelCorrupt`.
 * @param size bytes of the file
 * @param read bytes [start, end) of the file
 */
export async function readSafetensors(
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<SafetensorsEntry[]> {
  if (size < 10) throw new ModelCorrupt('it is too short for a safetensors file');
  const prefix = await read(0, 8);
  const length = Number(new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true));
  if (length > MAX_HEADER || length > size - 8) throw new ModelCorrupt('it is no safetensors file');
  let table: Record<string, { dtype?: unknown; shape?: unknown; data_offsets?: unknown }>;
  try {
    table = JSON.parse(new TextDecoder().decode(await read(8, 8 + length)));
  } catch (error) {
    throw new ModelCorrupt('its table of tensors is no JSON', { cause: error });
  }
  const dataStart = 8 + length;
  return Object.entries(table)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, { dtype, shape, data_offsets }]) => {
      if (
        typeof dtype !== 'string' ||
        !isListOfSizes(shape) ||
        !isListOfSizes(data_offsets) ||
        data_offsets.length !== 2
      ) {
        throw new ModelCorrupt(`its tensor ${name} is not described`);
      }
      const [from, to] = data_offsets as [number, number];
      if (from > to || dataStart + to > size)
        throw new ModelCorrupt(`its tensor ${name} lies outside the file`);
      return { name, type: dtype, shape, start: dataStart + from, end: dataStart + to };
    });
}

const isListOfSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
