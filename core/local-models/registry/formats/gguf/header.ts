import { ModelCorrupt } from '#core/host';
import { ByteCursor, truncated } from './byte-cursor.ts';
import tensorTypes from './tensor-types.json' with { type: 'json' };

/** Everything a GGUF file says before its tensor data. */
export interface GgufHeader {
  version: number;
  /** In file order. Arrays that `keepArray` refused are null; 64-bit integers beyond 2^53 are bigint. */
  keyValues: Map<string, unknown>;
  tensors: GgufTensor[];
}

export interface GgufTensor {
  name: string;
  type: string;
  shape: number[];
  elements: number;
}

// Above anything that models have, and low enough that a hostile file costs little.
const mostKeys = 65_536;
const mostTensors = 262_144;
const mostElements = 4_194_304;
const longestKey = 65_535;
const longestText = 16 * 1024 * 1024;
const deepestArray = 3;

/**
 * Reads the header of a GGUF file (versions 2 and 3, little-endian) of `size` bytes, and checks that the tensors it
 * announces are inside the file. Throws `ModelCorrupt` for anything that is not a whole GGUF file.
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
  const tensorCount = await count(cursor, 'tensors', mostTensors);
  const keyCount = await count(cursor, 'keys', mostKeys);
  const keyValues = new Map<string, unknown>();
  for (let i = 0; i < keyCount; i++) {
    const key = await text(cursor, longestKey);
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
  return { version, keyValues, tensors };
}

async function tensorInfo(cursor: ByteCursor): Promise<{ tensor: GgufTensor; dataEnd: number }> {
  const name = await text(cursor, longestKey);
  const dimensions = await number(cursor, 'uint32');
  if (dimensions > 8) throw new ModelCorrupt(`tensor ${name} has ${dimensions} dimensions`);
  const shape: number[] = [];
  for (let i = 0; i < dimensions; i++) shape.push(await number(cursor, 'uint64'));
  const code = await number(cursor, 'uint32');
  const offset = await number(cursor, 'uint64');
  const elements = shape.reduce((product, each) => product * each, 1);
  const known = (tensorTypes as Record<string, { name: string; block: number; bytes: number }>)[code];
  // The length of a type that is not in the table is unknown: then only its beginning can be checked.
  const bytes = known ? Math.ceil(elements / known.block) * known.bytes : 0;
  const dataEnd = offset + bytes;
  if (!Number.isSafeInteger(elements) || !Number.isSafeInteger(dataEnd)) {
    throw new ModelCorrupt(`tensor ${name} has an impossible shape or place`);
  }
  return { tensor: { name, type: known?.name ?? `type_${code}`, shape, elements }, dataEnd };
}

type Scalar = { bytes: number; read(view: DataView, offset: number): number | bigint | boolean };

/** By the type code of the format; 8 is text and 9 an array. */
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
  if (type === 8) return await text(cursor, longestText);
  if (type === 9) return await array(cursor, keep, depth);
  const scalar = scalars[type];
  if (!scalar) throw new ModelCorrupt(`the GGUF file holds a value of the unknown type ${type}`);
  if (!cursor.has(scalar.bytes)) await cursor.need(scalar.bytes);
  return cursor.take(scalar.bytes, scalar.read);
}

async function array(cursor: ByteCursor, keep: (length: number) => boolean, depth: number): Promise<unknown> {
  if (depth >= deepestArray) throw new ModelCorrupt('the GGUF file nests arrays too deeply');
  const type = await number(cursor, 'uint32');
  const length = await count(cursor, 'array elements', mostElements);
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

/** A number of things that follow, each at least one byte long. */
async function count(cursor: ByteCursor, what: string, most: number): Promise<number> {
  const announced = await number(cursor, 'uint64');
  if (announced > cursor.remaining) throw truncated();
  if (announced > most) throw new ModelCorrupt(`the GGUF file announces ${announced} ${what}`);
  return announced;
}

async function text(cursor: ByteCursor, longest: number): Promise<string> {
  const length = await number(cursor, 'uint64');
  if (length > cursor.remaining) throw truncated();
  if (length > longest) throw new ModelCorrupt(`the GGUF file holds a text of ${length} bytes`);
  if (!cursor.has(length)) await cursor.need(length);
  return cursor.text(length);
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The number with the fewest digits that is the same 32-bit float: 1e-5, not 9.999999747378752e-6. */
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
