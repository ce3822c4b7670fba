/** Copies a GGUF file with other metadata: the same weights under another template, pooling, architecture. */
import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { encodeMetadata, type GgufValue } from './tiny-gguf.ts';

const HEAD = 32 * 1024 * 1024;
const ALIGNMENT = 32;
/** Bytes of a scalar by type code; 8 is a string, 9 an array. */
const SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };

/** Keys in `changes` replace those of the same name or are added; undefined removes one. */
export async function rewriteGguf(
  source: string,
  target: string,
  changes: Record<string, GgufValue | undefined>,
): Promise<void> {
  const head = readHead(source);
  const cursor = new Cursor(head);
  if (cursor.take(4).toString('latin1') !== 'GGUF') throw new Error(`${source} is not a GGUF file`);
  const version = cursor.uint32();
  const tensorCount = cursor.uint64();
  const kept: Buffer[] = [];
  for (let left = cursor.uint64(); left > 0; left--) {
    const start = cursor.at;
    const key = cursor.string();
    cursor.skipValue(cursor.uint32());
    if (!(key in changes)) kept.push(head.subarray(start, cursor.at));
  }
  const tensorsStart = cursor.at;
  for (let left = tensorCount; left > 0; left--) {
    cursor.string();
    const dimensions = cursor.uint32();
    cursor.take(dimensions * 8 + 4 + 8);
  }
  const tensors = head.subarray(tensorsStart, cursor.at);
  const dataStart = Math.ceil(cursor.at / ALIGNMENT) * ALIGNMENT;
  const added = Object.entries(changes).flatMap(([key, value]) =>
    value ? [encodeMetadata(key, value)] : [],
  );
  const start = Buffer.alloc(24);
  start.write('GGUF', 'latin1');
  start.writeUInt32LE(version, 4);
  start.writeBigUInt64LE(BigInt(tensorCount), 8);
  start.writeBigUInt64LE(BigInt(kept.length + added.length), 16);
  const parts = [start, ...kept, ...added, tensors];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const padding = Buffer.alloc(Math.ceil(length / ALIGNMENT) * ALIGNMENT - length);
  const output = createWriteStream(target);
  for (const part of [...parts, padding]) output.write(part);
  await pipeline(createReadStream(source, { start: dataStart }), output);
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
