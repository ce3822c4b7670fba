/** Copies a GGUF file with other metadata: the same weights with another template, pooling or architecture. */
import { once } from 'node:events';
import { closeSync, createReadStream, createWriteStream, openSync, readSync, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { encodeGgufEntry, type GgufValue } from './tiny-gguf.ts';

const HEAD = 32 * 1024 * 1024;
const ALIGNMENT = 32;
/** Bytes of a scalar by type code. 8 is a string, 9 an array. */
const SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };

interface Tensor {
  name: string;
  /** Bytes of the tensor's name, shape and type, as in the file. */
  head: Buffer;
  /** The offset of its data from the first tensor's. */
  offset: number;
}

/**
 * Copies a GGUF file. `changes` replaces or adds keys, and removes a key that is undefined. `keep` selects tensors;
 * default: all.
 */
export async function rewriteGguf(
  source: string,
  target: string,
  changes: Record<string, GgufValue | undefined>,
  keep: (tensor: string) => boolean = () => true,
): Promise<void> {
  const head = readHead(source);
  const cursor = new Cursor(head);
  if (cursor.take(4).toString('latin1') !== 'GGUF') throw new Error(`${source} is not a GGUF file`);
  const version = cursor.uint32();
  const tensorCount = cursor.uint64();
  const metadata: Buffer[] = [];
  for (let left = cursor.uint64(); left > 0; left--) {
    const start = cursor.at;
    const key = cursor.string();
    cursor.skipValue(cursor.uint32());
    if (!(key in changes)) metadata.push(head.subarray(start, cursor.at));
  }
  const tensors = readTensors(cursor, tensorCount);
  const dataStart = align(cursor.at);
  const stay = withEnds(tensors, statSync(source).size - dataStart).filter(({ name }) => keep(name));
  const added = Object.entries(changes).flatMap(([key, value]) =>
    value ? [encodeGgufEntry(key, value)] : [],
  );
  const start = Buffer.alloc(24);
  start.write('GGUF', 'latin1');
  start.writeUInt32LE(version, 4);
  start.writeBigUInt64LE(BigInt(stay.length), 8);
  start.writeBigUInt64LE(BigInt(metadata.length + added.length), 16);
  const parts = [start, ...metadata, ...added, ...placed(stay)];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const padding = Buffer.alloc(align(length) - length);
  const output = createWriteStream(target);
  for (const part of [...parts, padding]) output.write(part);
  let written = 0;
  for (const { offset, end } of stay) {
    output.write(Buffer.alloc(align(written) - written));
    written = align(written) + end - offset;
    if (end === offset) continue;
    const bytes = createReadStream(source, {
      start: dataStart + offset,
      end: dataStart + end - 1,
      highWaterMark: 1024 * 1024,
    });
    for await (const piece of bytes) if (!output.write(piece)) await once(output, 'drain');
  }
  output.end();
  await finished(output);
}

const align = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

function readTensors(cursor: Cursor, count: number): Tensor[] {
  return Array.from({ length: count }, () => {
    const start = cursor.at;
    const name = cursor.string();
    cursor.take(cursor.uint32() * 8 + 4);
    const head = cursor.bytes.subarray(start, cursor.at);
    return { name, head, offset: cursor.uint64() };
  });
}

/** Sorted by offset. Each tensor ends where the next one starts. */
function withEnds(tensors: Tensor[], size: number): (Tensor & { end: number })[] {
  const sorted = [...tensors].sort((a, b) => a.offset - b.offset);
  return sorted.map((tensor, index) => ({ ...tensor, end: sorted[index + 1]?.offset ?? size }));
}

/** The tensor table of a file whose data are contiguous. */
function placed(tensors: (Tensor & { end: number })[]): Buffer[] {
  let at = 0;
  return tensors.map(({ head, offset, end }) => {
    const place = Buffer.alloc(8);
    place.writeBigUInt64LE(BigInt(at));
    at = align(at + end - offset);
    return Buffer.concat([head, place]);
  });
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD);
    return head.subarray(0, readSync(file, head, 0, HEAD, 0));
  } finally {
    closeSync(file);
  }
}

class Cursor {
  at = 0;
  constructor(readonly bytes: Buffer) {}

  take(count: number): Buffer {
    const end = this.at + count;
    if (end > this.bytes.length) throw new Error('the header of this GGUF is too long to be rewritten');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  uint64(): number {
    return Number(this.take(8).readBigUInt64LE());
  }

  string(): string {
    return this.take(this.uint64()).toString('utf8');
  }

  skipValue(type: number): void {
    if (type === 8) {
      this.take(this.uint64());
    } else if (type === 9) {
      const of = this.uint32();
      const count = this.uint64();
      const size = SIZES[of];
      if (size !== undefined) this.take(size * count);
      else for (let left = count; left > 0; left--) this.skipValue(of);
    } else {
      const size = SIZES[type];
      if (size === undefined) throw new Error(`unknown GGUF value type ${type}`);
      this.take(size);
    }
  }
}
