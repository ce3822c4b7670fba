/** Reads and writes the texts of an ONNX file: `metadata_props`, field 14 of ModelProto. */
import type { FileEdit } from '#core/host';
import {
  encodeProtobuf,
  forEachField,
  type ProtobufField,
  ProtobufReader,
  protobufMessage,
  type ReadRange,
} from '#core/tensors';

const METADATA = 14;

interface ByteRange {
  start: number;
  end: number;
}

/** The positions of a text and its name in the file. */
export interface MetadataEntry {
  name: string;
  nameRange: ByteRange;
  range: ByteRange;
}

/** Bytes to append to a file: protobuf accepts more fields at its end. */
export const encodeMetadata = (texts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  encodeProtobuf(
    protobufMessage(
      ...Object.entries(texts).map(
        ([name, text]): ProtobufField => [METADATA, protobufMessage([1, name], [2, text])],
      ),
    ),
  );

/** Skips the graph, which makes up most of the file. Rejects with `ModelCorrupt`. */
export async function readMetadata(size: number, read: ReadRange): Promise<MetadataEntry[]> {
  const cursor = new ProtobufReader(size, read);
  const entries: MetadataEntry[] = [];
  await forEachField(cursor, size, async (field, end) => {
    if (field !== METADATA || end === undefined) return;
    let name = '';
    let nameRange: ByteRange | undefined;
    let range: ByteRange | undefined;
    await forEachField(cursor, end, async (innerField, innerEnd) => {
      if (innerEnd === undefined) return;
      if (innerField === 2) range = { start: cursor.at, end: innerEnd };
      if (innerField !== 1) return;
      nameRange = { start: cursor.at, end: innerEnd };
      name = await cursor.text(innerEnd);
    });
    if (nameRange && range) entries.push({ name, nameRange, range });
  });
  return entries;
}

/**
 * Edits that blank the texts with these names and rename them uniquely, so that texts of the same names can be appended.
 * A reader may reject a file with two texts of one name.
 */
export function blankMetadata(entries: readonly MetadataEntry[], names: readonly string[]): FileEdit[] {
  return entries.flatMap(({ name, nameRange, range }, index) => {
    if (!names.includes(name)) return [];
    const length = nameRange.end - nameRange.start;
    const uniqueName = `~${index.toString(36)}`.padEnd(length, '~').slice(0, length);
    const spaces = new Uint8Array(range.end - range.start).fill(0x20);
    return [
      { file: undefined, start: nameRange.start, bytes: new TextEncoder().encode(uniqueName) },
      { file: undefined, start: range.start, bytes: spaces },
    ];
  });
}
