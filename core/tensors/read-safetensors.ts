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

/** Bits of each element. Files may hold tensors of other types. */
const ELEMENT_BITS: Readonly<Record<string, number>> = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E4M3: 8,
  F8_E5M2: 8,
  U16: 16,
  I16: 16,
  F16: 16,
  BF16: 16,
  U32: 32,
  I32: 32,
  F32: 32,
  U64: 64,
  I64: 64,
  F64: 64,
};

/** Bytes. A file with a larger table counts as damaged. */
const MAX_HEADER = 16 * 1024 * 1024;

/**
 * Reads the table of tensors at the beginning of a safetensors file.
 * Rejects with `ModelCorrupt`.
 * @param size bytes of the file
 * @param read bytes [start, end) of the file
 */
export async function readSafetensors(size: number, read: ReadBytes): Promise<SafetensorsEntry[]> {
  const { header, dataStart } = await readHeader(size, read);
  const entries = Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, described]) => entryOf(name, described, dataStart, size));
  rejectOverlaps(entries);
  return entries;
}

/**
 * The texts that a safetensors file has about its tensors, such as the configuration of a network.
 * Rejects with `ModelCorrupt`.
 * @param size bytes of the file
 * @param read bytes [start, end) of the file
 */
export async function readSafetensorsTexts(size: number, read: ReadBytes): Promise<Record<string, string>> {
  const { header } = await readHeader(size, read);
  const texts = Object.entries(Object(header.__metadata__)).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}

type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

interface Header {
  header: Record<string, unknown>;
  /** The offset of the first tensor in the file. */
  dataStart: number;
}

async function readHeader(size: number, read: ReadBytes): Promise<Header> {
  if (size < 10) throw new ModelCorrupt('it is too short for a safetensors file');
  const prefix = await read(0, 8);
  const length = Number(new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true));
  if (length > MAX_HEADER || length > size - 8) throw new ModelCorrupt('it is no safetensors file');
  let table: unknown;
  try {
    table = JSON.parse(new TextDecoder().decode(await read(8, 8 + length)));
  } catch (error) {
    throw new ModelCorrupt('its table of tensors is no JSON', { cause: error });
  }
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new ModelCorrupt('its table of tensors is no JSON object');
  return { header: table as Record<string, unknown>, dataStart: 8 + length };
}

/** @param dataStart the offset of the first tensor in the file */
function entryOf(name: string, described: unknown, dataStart: number, size: number): SafetensorsEntry {
  const { dtype, shape, data_offsets } = Object(described) as Record<string, unknown>;
  const isDescribed =
    typeof dtype === 'string' &&
    isListOfSizes(shape) &&
    isListOfSizes(data_offsets) &&
    data_offsets.length === 2;
  if (!isDescribed) throw new ModelCorrupt(`its tensor ${name} is not described`);
  const [from, to] = data_offsets as [number, number];
  if (from > to || dataStart + to > size) throw new ModelCorrupt(`its tensor ${name} lies outside the file`);
  const bits = ELEMENT_BITS[dtype];
  if (bits !== undefined && (shape.reduce((product, side) => product * side, 1) * bits) / 8 !== to - from)
    throw new ModelCorrupt(
      `its tensor ${name} of shape [${shape.join(', ')}] and type ${dtype} has ${to - from} bytes`,
    );
  return { name, type: dtype, shape, start: dataStart + from, end: dataStart + to };
}

function rejectOverlaps(entries: readonly SafetensorsEntry[]): void {
  const sorted = entries.toSorted((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, { name, start }] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous && start < previous.end)
      throw new ModelCorrupt(`its tensors ${previous.name} and ${name} overlap`);
  }
}

const isListOfSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
