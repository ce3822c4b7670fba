/** Writes tensors of weight files into a new one, with the changes of their graphs. */
import type { FileEdit, FilePath, Files, FileWriter } from '#core/host';
import { blockFloatsName, blockLayout, type StoredTensor } from '#core/tensors';
import type { ModelGraph } from '../../values/model-graph.ts';
import { changedFile } from '../graphs/graph-edits.ts';
import { decodeFloats, encodeFloats } from '../graphs/stored-floats.ts';
import type { OnProgress } from './model-writer.ts';
import { type PlacedPiece, type PlacedTensors, placeTensors, savedBytes } from './place-tensors.ts';
import type { SavedPart } from './saved-tensors.ts';

export interface WeightSave {
  path: FilePath;
  parts: readonly SavedPart[];
  /** Small tensors of 32-bit floats. */
  marks?: Readonly<Record<string, readonly number[]>>;
  /** The file's metadata. */
  texts: Readonly<Record<string, string>>;
}

/** Bytes that are copied at a time. */
const CHUNK = 8 * 2 ** 20;

/**
 * Writes a safetensors file, piece by piece: only one changed weight is in memory at a time. The file appears complete
 * or not at all. Rejects with `StorageFull`, the signal's reason, and errors of weight changes.
 */
export async function writeWeights(
  files: Files,
  { path, parts, marks = {}, texts }: WeightSave,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  const placed = placeTensors(parts, marks, texts);
  const writer = await files.create(path);
  let done = 0;
  const write = async (start: number, bytes: Uint8Array) => {
    signal.throwIfAborted();
    await writer.write(start, bytes);
    done += bytes.length;
    await onProgress(Math.min(1, done / placed.size));
  };
  try {
    await write(0, placed.head);
    for (const piece of placed.pieces) await copy(files, piece, write);
    for (const [start, bytes] of placed.marks) await write(start, bytes);
    await applyChanges(parts, placed, write, signal);
    signal.throwIfAborted();
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

type Write = FileWriter['write'];

async function copy(files: Files, { path, tensor, at }: PlacedPiece, write: Write): Promise<void> {
  const { start, end } = tensor;
  if (tensor.isTransposed) return write(at, turned(await files.read(path, start, end), tensor));
  const { bytes: step = 1 } = blockLayout(tensor.type) ?? {};
  const chunk = Math.floor(CHUNK / step) * step;
  for (let from = start; from < end; from += chunk) {
    const bytes = await files.read(path, from, Math.min(from + chunk, end));
    await write(at + savedBytes(tensor, from - start), step === 1 ? bytes : halves(bytes, tensor.type));
  }
}

async function applyChanges(
  parts: readonly SavedPart[],
  { pieces }: PlacedTensors,
  write: Write,
  signal: AbortSignal,
): Promise<void> {
  for (const part of parts) {
    const own = pieces.filter((piece) => piece.part === part);
    for (const graph of part.graphs)
      for await (const edit of graph.weightEdits(signal)) {
        const unpacked = unpackedTensor(edit, graph);
        for (const piece of own)
          await (unpacked ? changeUnpacked(piece, edit, unpacked, write) : change(piece, edit, write));
      }
  }
}

const halves = (bytes: Uint8Array, type: string): Uint8Array =>
  encodeFloats(decodeFloats(bytes, type), 'F16');

/** The tensor of blocks whose changed numbers an edit brings as 32-bit floats. */
function unpackedTensor({ file = '' }: FileEdit, { source }: ModelGraph): StoredTensor | undefined {
  for (const [name, tensor] of source.stored?.used ?? [])
    if (blockLayout(tensor.type) && file === changedFile(blockFloatsName(name))) return tensor;
  return undefined;
}

/** Writes the changed numbers of a tensor that belong to a piece. The tensor may be some rows of the piece. */
async function changeUnpacked(
  { tensor, at }: PlacedPiece,
  edit: FileEdit,
  changed: StoredTensor,
  write: Write,
): Promise<void> {
  if (changed.file !== tensor.file || changed.start < tensor.start || changed.end > tensor.end) return;
  await write(
    at + savedBytes(tensor, changed.start - tensor.start),
    encodeFloats(decodeFloats(edit.bytes, 'F32'), 'F16'),
  );
}

/** Writes the bytes of an edit that belong to a piece. */
async function change({ tensor, at }: PlacedPiece, edit: FileEdit, write: Write): Promise<void> {
  const { bytes, start: from } = edit;
  const start = Math.max(from, tensor.start);
  const end = Math.min(from + bytes.length, tensor.end);
  if (edit.file !== tensor.file || start >= end) return;
  const changed = bytes.subarray(start - from, end - from);
  // Changes cover a matrix completely.
  await write(at + start - tensor.start, tensor.isTransposed ? turned(changed, tensor) : changed);
}

/** The elements of a matrix that is stored as [columns, rows], row by row. */
function turned(bytes: Uint8Array, { shape: [columns = 0, rows = 0] }: StoredTensor): Uint8Array {
  const size = bytes.length / (rows * columns);
  const result = new Uint8Array(bytes.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const from = (column * rows + row) * size;
      result.set(bytes.subarray(from, from + size), (row * columns + column) * size);
    }
  return result;
}
