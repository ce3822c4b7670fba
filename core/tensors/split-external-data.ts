/**
 * Data of a graph that is larger than one array may be. Browsers give no more than 2 GB in one piece, and the runtime
 * counts places in 32 bits (onnxruntime-web 1.30, also where it reads files by itself), while exporters write one file of any size. So the graph is told, in place and letter for letter as
 * long as before, that its weights lie in several files; the file itself stays as it is.
 */
import { ModelCorrupt } from '#core/host';
import { type ExternalTensor, readExternalTensors, type Written } from './onnx-file/external-data.ts';

/** Below what Chromium gives at once, with room for the next one. */
export const MAX_PIECE = 1.5 * 2 ** 30;

/** Bytes [start, end) of a file, under a name that the graph then uses. */
export interface Piece {
  name: string;
  start: number;
  end: number;
}

/**
 * Which pieces to read of each file that is too large, by its name; the graph's bytes are changed to name them. No weight is
 * cut: one that is larger than `most` is a piece of its own. Throws `ModelCorrupt`.
 */
export async function splitExternalData(
  graph: Uint8Array,
  files: readonly { name: string; size: number }[],
  most = MAX_PIECE,
): Promise<Map<string, Piece[]>> {
  const large = files.filter(({ size }) => size > most);
  const pieces = new Map<string, Piece[]>();
  if (large.length === 0) return pieces;
  const tensors = await readExternalTensors(graph.length, async (start, end) => graph.subarray(start, end));
  const taken = new Set(files.map(({ name }) => name));
  for (const { name, size } of large) {
    const inside = tensors
      .filter(({ location }) => plain(location.text) === name)
      .map((tensor) => ({ tensor, ...extent(tensor, size) }))
      .toSorted((a, b) => a.start - b.start || a.end - b.end);
    const made: Piece[] = [];
    for (const { tensor, start, end } of inside) {
      let piece = made.at(-1);
      if (!piece || end - piece.start > most) {
        piece = { name: made.length === 0 ? name : freeName(name, taken), start, end };
        // The first one keeps its name, and places that are not written count from 0.
        if (made.length === 0) piece.start = 0;
        made.push(piece);
      }
      piece.end = Math.max(piece.end, end);
      const { location, offset } = tensor;
      put(graph, location, location.text.slice(0, location.text.length - name.length) + piece.name);
      if (offset) put(graph, offset, String(start - piece.start).padStart(offset.text.length, '0'));
    }
    pieces.set(name, made);
  }
  return pieces;
}

const plain = (location: string): string => location.replace(/^\.\//, '');

function extent({ offset, length }: ExternalTensor, size: number): { start: number; end: number } {
  const start = Number(offset?.text ?? 0);
  const end = length === undefined ? size : start + length;
  if (!(start >= 0 && end >= start && end <= size))
    throw new ModelCorrupt(`its weights lie at ${start} to ${end} of a file of ${size} bytes`);
  return { start, end };
}

/** Another name of the same length: the last letters counted up. */
function freeName(name: string, taken: Set<string>): string {
  const digits = Math.min(3, name.length);
  for (let number = 1; number < 36 ** digits; number++) {
    const made = name.slice(0, name.length - digits) + number.toString(36).padStart(digits, '0');
    if (taken.has(made)) continue;
    taken.add(made);
    return made;
  }
  throw new ModelCorrupt(`its weights lie in too many pieces of ${name}`);
}

function put(graph: Uint8Array, { start, end }: Written, text: string): void {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length !== end - start) throw new ModelCorrupt('the name of its data has unusual letters');
  graph.set(bytes, start);
}
