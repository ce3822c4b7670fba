/**
 * External data of a graph that is larger than one array may be. An array in a browser has at most 2 GB.
 * onnxruntime-web 1.30 counts positions in 32 bits, also where it reads files itself. Exporters write one file of any
 * size. So the graph is changed to name several files. Every name keeps its length, so that the change needs no new
 * encoding; the data file itself stays as it is.
 */
import { ModelCorrupt } from '#core/host';
import {
  type ExternalTensor,
  type FieldText,
  fileOf,
  readExternalTensors,
} from './onnx-file/external-data.ts';

/** Bytes. Chromium's limit for one array is 2 GB. */
export const MAX_PIECE_BYTES = 1.5 * 2 ** 30;

/** Bytes between two weights that are rather read than left out. */
const MAX_GAP = 2 ** 20;

/** Bytes [start, end) of a file, and the name under which the changed graph refers to them. */
export interface Piece {
  name: string;
  start: number;
  end: number;
}

/**
 * Decides in which pieces to read each file that is too large, or of which the graph uses only a part. No weight is cut:
 * one that is larger than `maxPiece` is a piece of its own.
 * Rejects with `ModelCorrupt`.
 * @param graph changed in place to name the pieces
 * @param maxPiece bytes
 * @returns the pieces of each file that is split, by its name
 */
export async function splitExternalData(
  graph: Uint8Array,
  files: readonly { name: string; size: number; isShared?: boolean }[],
  maxPiece = MAX_PIECE_BYTES,
): Promise<Map<string, Piece[]>> {
  const split = files.filter(({ size, isShared }) => isShared || size > maxPiece);
  const piecesByFile = new Map<string, Piece[]>();
  if (split.length === 0) return piecesByFile;
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  const usedNames = new Set(files.map(({ name }) => name));
  for (const { name, size } of split) {
    const tensorsOfFile = tensors
      .filter((tensor) => fileOf(tensor) === name)
      .map((tensor) => ({ tensor, ...byteRange(tensor, size) }))
      .toSorted((a, b) => a.start - b.start || a.end - b.end);
    const pieces: Piece[] = [];
    for (const { tensor, start, end } of tensorsOfFile) {
      let piece = pieces.at(-1);
      if (!piece || end - piece.start > maxPiece || start - piece.end > MAX_GAP) {
        piece = { name: pieces.length === 0 ? name : unusedName(name, usedNames), start, end };
        pieces.push(piece);
      }
      piece.end = Math.max(piece.end, end);
      const { location, offset } = tensor;
      const prefix = location.text.slice(0, location.text.length - name.length);
      overwrite(graph, location, prefix + piece.name);
      if (offset) overwrite(graph, offset, String(start - piece.start).padStart(offset.text.length, '0'));
    }
    piecesByFile.set(name, pieces);
  }
  return piecesByFile;
}

function byteRange({ offset, length }: ExternalTensor, size: number): { start: number; end: number } {
  const start = Number(offset?.text ?? 0);
  const end = length === undefined ? size : start + Number(length.text);
  if (!(start >= 0 && end >= start && end <= size))
    throw new ModelCorrupt(`its weights lie at ${start} to ${end} of a file of ${size} bytes`);
  return { start, end };
}

/** A name of the same length: its last three characters are replaced by a number in base 36. */
function unusedName(name: string, usedNames: Set<string>): string {
  const digits = Math.min(3, name.length);
  for (let number = 1; number < 36 ** digits; number++) {
    const candidate = name.slice(0, name.length - digits) + number.toString(36).padStart(digits, '0');
    if (usedNames.has(candidate)) continue;
    usedNames.add(candidate);
    return candidate;
  }
  throw new ModelCorrupt(`its weights lie in too many pieces of ${name}`);
}

/** Replaces a text of the graph by one of the same length in UTF-8. */
function overwrite(graph: Uint8Array, { start, end }: FieldText, text: string): void {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length !== end - start) throw new ModelCorrupt('the name of its data has unusual letters');
  graph.set(bytes, start);
}
