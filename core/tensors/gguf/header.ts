import { ModelCorrupt } from '#core/host';
import { ByteCursor, truncated } from './byte-cursor.ts';
import tensorTypes from './tensor-types.json' with { type: 'json' };

/** The content of a GGUF file before its tensor data. */
export interface GgufHeader {
  version: number;
  /** In file order. Arrays that were not read are null; 64-bit integers beyond 2^53 are bigint. */
  keyValues: Map<string, unknown>;
  tensors: GgufTensor[];
}

/** A tensor of the file, and its place there. */
export interface GgufTensor {
  name: string;
  type: string;
  /** The innermost side comes first. */
  shape: number[];
  elements: number;
  /** The first byte in the file. */
  start: number;
  /** The byte after the last one. `start` for a type of unknown size. */
  end: number;
}

// Limits above all models, and low enough that a hostile file costs little.
const MAX_KEYS = 65_536;
const MAX_TENSORS = 262_144;
const MAX_ELEMENTS = 4_194_304;
/** In bytes. */
const MAX_KEY_LENGTH = 65_535;
const MAX_TEXT_LENGTH = 16 * 1024 * 1024;
const MAX_ARRAY_DEPTH = 3;

/** Type codes of the format that are no scalars. */
const TEXT = 8;
const ARRAY = 9;

/**
 * Reads the header of a GGUF file (versions 2 and 3, little-endian), and checks that its tensors are inside the file.
 * @param size the file's size in bytes
 * @param keepArray decides by key and length whether an array is read; otherwise its value is null
 * @throws ModelCorrupt when the file is no complete GGUF file
 */
export async function readGgufHeader(
  stream: ReadableStream<Uint8Array>,
  size: number,
  keepArray: (key: string, length: number) => boolean,
): Promise<GgufHeader> {
  const cursor = new ByteCursor(stream, size);
  try {
    return await read(cursor, keepArray);
  } finally {
    await cursor.close();
  }
}

async function read(
  cursor: ByteCursor,
  keepArray: (key: string, length: number) => boolean,
): Promise<GgufHeader> {
  if (cursor.size < 4) throw notGguf();
  await cursor.need(4);
  if (cursor.text(4) !== 'GGUF') throw notGguf();
  const version = await number(cursor, 'uint32');
  if (version === 0x02000000 || version === 0x03000000) {
    throw new ModelCorrupt('this GGUF file is big-endian, which is not supported');
  }
  if (version !== 2 && version !== 3) {
    throw new ModelCorrupt(`GGUF version ${version} is not supported (2 and 3 are); convert the file again`);
  }
  const tensorCount = await count(cursor, 'tensors', MAX_TENSORS);
  const keyCount = await count(cursor, 'keys', MAX_KEYS);
  const keyValues = new Map<string, unknown>();
  for (let i = 0; i < keyCount; i++) {
    const key = await text(cursor, MAX_KEY_LENGTH);
    if (keyValues.has(key)) throw new ModelCorrupt(`the GGUF file has the key ${key} twice`);
    keyValues.set(key, await value(cursor, await number(cursor, 'uint32'), (n) => keepArray(key, n), 0));
  }
  const tensors: GgufTensor[] = [];
  let end = 0;
  for (let i = 0; i < tensorCount; i++) {
    const { tensor, dataEnd } = await tensorInfo(cursor);
    tensors.push(tensor);
    end = Math.max(end, dataEnd);
  }
  const alignment = keyValues.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || !(alignment >= 1 && alignment <= 65_536)) {
    throw new ModelCorrupt(`the GGUF file has a bad general.alignment: ${String(alignment)}`);
  }
  const dataStart = Math.ceil(cursor.position / alignment) * alignment;
  if (dataStart + end > cursor.size) throw truncated();
  for (const tensor of tensors) {
    tensor.start += dataStart;
    tensor.end += dataStart;
  }
  return { version, keyValues, tensors };
}

/** Its place is counted from the first tensor, whose place is not known yet. */
async function tensorInfo(cursor: ByteCursor): Promise<{ tensor: GgufTensor; dataEnd: number }> {
  const name = await text(cursor, MAX_KEY_LENGTH);
  const dimensions = await number(cursor, 'uint32');
  if (dimensions > 8) throw new ModelCorrupt(`tensor ${name} has ${dimensions} dimensions`);
  const shape: number[] = [];
  for (let i = 0; i < dimensions; i++) shape.push(await number(cursor, 'uint64'));
  const code = await number(cursor, 'uint32');
  const offset = await number(cursor, 'uint64');
  const elements = shape.reduce((product, size) => product * size, 1);
  const type = (tensorTypes as Record<string, { name: string; block: number; bytes: number }>)[code];
  // The length of a tensor of an unknown type is unknown: only its beginning can be checked.
  const bytes = type ? Math.ceil(elements / type.block) * type.bytes : 0;
  const dataEnd = offset + bytes;
  if (!Number.isSafeInteger(elements) || !Number.isSafeInteger(dataEnd)) {
    throw new ModelCorrupt(`tensor ${name} has an impossible shape or place`);
  }
  const typeName = type?.name ?? `type_${code}`;
  return { tensor: { name, type: typeName, shape, elements, start: offset, end: dataEnd }, dataEnd };
}

type Scalar = { bytes: number; read(view: DataView, offset: number): number | bigint | boolean };

/** The scalars, by type code. */
const scalars: Record<number, Scalar> = {
  0: { bytes: 1, read: (view, at) => view.getUint8(at) },
  1: { bytes: 1, read: (view, at) => view.getInt8(at) },
  2: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  3: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  4: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  5: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  6: { bytes: 4, read: (view, at) => shortest(view.getFloat32(at, true)) },
  7: { bytes: 1, read: (view, at) => view.getUint8(at) !== 0 },
  10: { bytes: 8, read: (view, at) => narrow(view.getBigUint64(at, true)) },
  11: { bytes: 8, read: (view, at) => narrow(view.getBigInt64(at, true)) },
  12: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
};

async function value(
  cursor: ByteCursor,
  type: number,
  keep: (length: number) => boolean,
  depth: number,
): Promise<unknown> {
  if (type === TEXT) return await text(cursor, MAX_TEXT_LENGTH);
  if (type === ARRAY) return await array(cursor, keep, depth);
  const scalar = scalars[type];
  if (!scalar) throw new ModelCorrupt(`the GGUF file holds a value of the unknown type ${type}`);
  if (!cursor.has(scalar.bytes)) await cursor.need(scalar.bytes);
  return cursor.take(scalar.bytes, scalar.read);
}

async function array(cursor: ByteCursor, keep: (length: number) => boolean, depth: number): Promise<unknown> {
  if (depth >= MAX_ARRAY_DEPTH) throw new ModelCorrupt('the GGUF file nests arrays too deeply');
  const type = await number(cursor, 'uint32');
  const length = await count(cursor, 'array elements', MAX_ELEMENTS);
  const scalar = scalars[type];
  if (!keep(length)) {
    if (scalar) await cursor.skip(length * scalar.bytes);
    else for (let i = 0; i < length; i++) await value(cursor, type, () => false, depth + 1);
    return null;
  }
  const values: unknown[] = [];
  for (let i = 0; i < length; i++) {
    if (scalar && cursor.has(scalar.bytes)) values.push(cursor.take(scalar.bytes, scalar.read));
    else values.push(await value(cursor, type, keep, depth + 1));
  }
  return values;
}

async function number(cursor: ByteCursor, type: 'uint32' | 'uint64'): Promise<number> {
  const scalar = scalars[type === 'uint32' ? 4 : 10]!;
  if (!cursor.has(scalar.bytes)) await cursor.need(scalar.bytes);
  const value = cursor.take(scalar.bytes, scalar.read);
  if (typeof value !== 'number') throw new ModelCorrupt('the GGUF file announces an impossible length');
  return value;
}

/** Reads a number of elements, each of which takes at least one byte. */
async function count(cursor: ByteCursor, elements: string, max: number): Promise<number> {
  const announced = await number(cursor, 'uint64');
  if (announced > cursor.remaining) throw truncated();
  if (announced > max) throw new ModelCorrupt(`the GGUF file announces ${announced} ${elements}`);
  return announced;
}

async function text(cursor: ByteCursor, maxLength: number): Promise<string> {
  const length = await number(cursor, 'uint64');
  if (length > cursor.remaining) throw truncated();
  if (length > maxLength) throw new ModelCorrupt(`the GGUF file holds a text of ${length} bytes`);
  if (!cursor.has(length)) await cursor.need(length);
  return cursor.text(length);
}

/** The value as a number if a number can represent it exactly. */
function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The number with the fewest digits that rounds to the same 32-bit float: 1e-5 for 9.999999747378752e-6. */
function shortest(value: number): number {
  if (!Number.isFinite(value)) return value;
  for (let digits = 6; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(9));
}

function notGguf(): ModelCorrupt {
  return new ModelCorrupt('supplied file was not in GGUF format');
}
