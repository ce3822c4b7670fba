/** Changes the names under which a graph refers to its data files, for runtimes that find them under other names. */
import { concatBytes } from '#core/base';
import { ModelCorrupt } from '#core/host';
import { encodeProtobuf } from './onnx-file/encode-protobuf.ts';
import { type FieldText, fileOf, readExternalTensors } from './onnx-file/external-data.ts';
import { forEachField, ProtobufReader } from './onnx-file/protobuf-reader.ts';

/** Bytes [start, end) of the graph, and the text that replaces them. */
type Change = FieldText;

/**
 * The graph with other texts in its fields; the graph itself stays as it is.
 * Rejects with `ModelCorrupt`.
 */
export function replaceTexts(graph: Uint8Array, changes: readonly Change[]): Promise<Uint8Array> {
  const reader = new ProtobufReader(graph.length, async (start, end) => graph.subarray(start, end));
  return changed(graph, reader, graph.length, changes);
}

/**
 * The graph with other names of its data files; the graph itself stays as it is.
 * Rejects with `ModelCorrupt`.
 * @param names the new names by the old ones. Files that are missing here keep their names.
 */
export async function renameExternalData(
  graph: Uint8Array,
  names: ReadonlyMap<string, string>,
): Promise<Uint8Array> {
  const read = async (start: number, end: number) => graph.subarray(start, end);
  const tensors = await readExternalTensors(graph.length, read);
  const changes = tensors.flatMap((tensor): Change[] => {
    const text = names.get(fileOf(tensor));
    return text === undefined ? [] : [{ ...tensor.location, text }];
  });
  return changes.length === 0 ? graph : replaceTexts(graph, changes);
}

/** The message from the reader's place up to `end`, with new lengths of all messages around a change. */
async function changed(
  graph: Uint8Array,
  reader: ProtobufReader,
  end: number,
  changes: readonly Change[],
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let done = reader.at;
  await forEachField(reader, end, async (field, fieldEnd) => {
    if (fieldEnd === undefined) return;
    const start = reader.at;
    const inside = changes.filter((change) => change.start >= start && change.end <= fieldEnd);
    const [first] = inside;
    if (!first) return;
    const content =
      first.start === start && first.end === fieldEnd
        ? new TextEncoder().encode(first.text)
        : await changed(graph, reader, fieldEnd, inside);
    const fieldStart = start - headLength(field, fieldEnd - start);
    if (fieldStart < done || graph[fieldStart] !== ((field << 3) | 2))
      throw new ModelCorrupt('the lengths in its graph are written in an unusual way');
    parts.push(graph.subarray(done, fieldStart), encodeProtobuf({ fields: [[field, content]] }));
    done = fieldEnd;
  });
  return concatBytes([...parts, graph.subarray(done, end)]);
}

/** Bytes of a field's number, which is below 16 on the way to a name, and of its length. */
function headLength(field: number, length: number): number {
  if (field > 15) throw new ModelCorrupt('its graph has names of data in unknown places');
  let bytes = 2;
  for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
