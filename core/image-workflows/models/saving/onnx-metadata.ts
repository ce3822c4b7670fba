/** Texts that an ONNX file carries beside its graph: `metadata_props`, field 14 of ModelProto. */
import type { FileEdit } from '#core/host';
import {
  encodeProtobuf,
  forEachField,
  type ProtobufField,
  ProtobufReader,
  protobufMessage,
  type ReadRange,
} from '#core/tensors';

const TEXTS = 14;

interface Place {
  start: number;
  end: number;
}

/** Where a text and its name lie in the file. */
export interface MetadataEntry {
  name: string;
  namePlace: Place;
  place: Place;
}

/** To be put after the end of a file: protobuf takes further fields there. */
export const encodeMetadata = (texts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  encodeProtobuf(
    protobufMessage(
      ...Object.entries(texts).map(
        ([name, text]): ProtobufField => [TEXTS, protobufMessage([1, name], [2, text])],
      ),
    ),
  );

/** Skips the graph. Throws `ModelCorrupt`. */
export async function readMetadata(size: number, read: ReadRange): Promise<MetadataEntry[]> {
  const cursor = new ProtobufReader(size, read);
  const found: MetadataEntry[] = [];
  await forEachField(cursor, size, async (field, end) => {
    if (field !== TEXTS || end === undefined) return;
    let name = '';
    let namePlace: Place | undefined;
    let place: Place | undefined;
    await forEachField(cursor, end, async (inner, stop) => {
      if (stop === undefined) return;
      if (inner === 2) place = { start: cursor.at, end: stop };
      if (inner !== 1) return;
      namePlace = { start: cursor.at, end: stop };
      name = await cursor.text(stop);
    });
    if (namePlace && place) found.push({ name, namePlace, place });
  });
  return found;
}

/** Texts of these names made blank, under names that no other has: a name may stand in a file once. */
export function blankMetadata(texts: readonly MetadataEntry[], names: readonly string[]): FileEdit[] {
  return texts.flatMap(({ name, namePlace, place }, index) => {
    if (!names.includes(name)) return [];
    const length = namePlace.end - namePlace.start;
    const other = `~${index.toString(36)}`.padEnd(length, '~').slice(0, length);
    const blank = new Uint8Array(place.end - place.start).fill(0x20);
    return [
      { file: undefined, start: namePlace.start, bytes: new TextEncoder().encode(other) },
      { file: undefined, start: place.start, bytes: blank },
    ];
  });
}
