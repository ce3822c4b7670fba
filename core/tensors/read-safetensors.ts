import { ModelCorrupt } from '#core/host';

/** A tensor in a safetensors file; `start` and `end` count from the file's beginning. */
export interface SafetensorsEntry {
  name: string;
  type: string;
  shape: number[];
  start: number;
  end: number;
}

const LONGEST_HEADER = 16 * 1024 * 1024;

/** The table at the head of the file. `read` gives bytes [start, end). Throws `ModelCorrupt`. */
export async function readSafetensors(
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<SafetensorsEntry[]> {
  if (size < 10) throw new ModelCorrupt('it is too short for a safetensors file');
  const start = await read(0, 8);
  const length = Number(new DataView(start.buffer, start.byteOffset, 8).getBigUint64(0, true));
  if (length > LONGEST_HEADER || length > size - 8) throw new ModelCorrupt('it is no safetensors file');
  let table: Record<string, { dtype?: unknown; shape?: unknown; data_offsets?: unknown }>;
  try {
    table = JSON.parse(new TextDecoder().decode(await read(8, 8 + length)));
  } catch (error) {
    throw new ModelCorrupt('its table of tensors is no JSON', { cause: error });
  }
  const offset = 8 + length;
  return Object.entries(table)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, { dtype, shape, data_offsets }]) => {
      if (
        typeof dtype !== 'string' ||
        !isCounts(shape) ||
        !isCounts(data_offsets) ||
        data_offsets.length !== 2
      ) {
        throw new ModelCorrupt(`its tensor ${name} is not described`);
      }
      const [from, to] = data_offsets as [number, number];
      if (from > to || offset + to > size) throw new ModelCorrupt(`its tensor ${name} lies outside the file`);
      return { name, type: dtype, shape, start: offset + from, end: offset + to };
    });
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
