/** Lays the tensors of a safetensors file out. */
import type { FilePath } from '#core/host';
import { blockLayout, type StoredTensor } from '#core/tensors';
import { elementCount } from '../../values/tensor.ts';
import { encodeFloats } from '../graphs/stored-floats.ts';
import type { SavedPart } from './saved-tensors.ts';

/** A piece of a tensor, and the offset of its first byte in the new file. */
export interface PlacedPiece {
  part: SavedPart;
  path: FilePath;
  tensor: StoredTensor;
  at: number;
}

export interface PlacedTensors {
  /** The table of tensors with its length. */
  head: Uint8Array;
  pieces: readonly PlacedPiece[];
  /** Bytes by their offsets. */
  marks: readonly (readonly [start: number, bytes: Uint8Array])[];
  /** Bytes of the file. */
  size: number;
}

/** Blocks of GGUF files become 16-bit floats: safetensors files cannot have them. */
export const savedType = ({ type }: StoredTensor): string => (blockLayout(type) ? 'F16' : type);

/** The bytes of the new file that hold `count` bytes of a tensor. */
export function savedBytes({ type }: StoredTensor, count: number): number {
  const layout = blockLayout(type);
  return layout ? (count / layout.bytes) * layout.elements * 2 : count;
}

interface Block {
  name: string;
  type: string;
  shape: readonly number[];
  bytes: number;
  part?: SavedPart;
  pieces: readonly StoredTensor[];
  numbers?: Uint8Array;
}

/** Large elements come first, so that every tensor begins at a multiple of its element's size. */
export function placeTensors(
  parts: readonly SavedPart[],
  marks: Readonly<Record<string, readonly number[]>>,
  texts: Readonly<Record<string, string>>,
): PlacedTensors {
  const blocks = [...parts.flatMap(blocksOf), ...Object.entries(marks).map(markBlock)];
  const elementBytes = ({ bytes, shape }: Block) => bytes / Math.max(1, elementCount(shape));
  blocks.sort((a, b) => elementBytes(b) - elementBytes(a));
  const table: Record<string, unknown> = Object.keys(texts).length > 0 ? { __metadata__: texts } : {};
  let end = 0;
  for (const { name, type, shape, bytes } of blocks) {
    if (Object.hasOwn(table, name)) throw new Error(`two parts of the model have the tensor ${name}`);
    table[name] = { dtype: type, shape, data_offsets: [end, end + bytes] };
    end += bytes;
  }
  const head = encodeHead(table);
  return { head, size: head.length + end, ...places(blocks, head.length) };
}

function places(blocks: readonly Block[], start: number): Pick<PlacedTensors, 'pieces' | 'marks'> {
  const pieces: PlacedPiece[] = [];
  const marks: [number, Uint8Array][] = [];
  let at = start;
  for (const { part, pieces: own, numbers, bytes } of blocks) {
    let pieceAt = at;
    for (const tensor of own) {
      const { path } = part!.stored.files.find(({ name }) => name === tensor.file)!;
      pieces.push({ part: part!, path, tensor, at: pieceAt });
      pieceAt += savedBytes(tensor, tensor.end - tensor.start);
    }
    if (numbers) marks.push([at, numbers]);
    at += bytes;
  }
  return { pieces, marks };
}

const blocksOf = (part: SavedPart): Block[] =>
  part.tensors.map(({ name, shape, pieces }) => {
    const types = new Set(pieces.map(savedType));
    if (types.size > 1)
      throw new Error(
        `the weights that become ${name} have different types (${[...types].join(', ')}), which cannot be joined`,
      );
    const bytes = pieces.reduce((sum, piece) => sum + savedBytes(piece, piece.end - piece.start), 0);
    return { name, type: savedType(pieces[0]!), shape, bytes, part, pieces };
  });

const markBlock = ([name, values]: [string, readonly number[]]): Block => {
  const numbers = encodeFloats(Float32Array.from(values), 'F32');
  return { name, type: 'F32', shape: [values.length], bytes: numbers.length, pieces: [], numbers };
};

function encodeHead(table: Record<string, unknown>): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(table));
  const size = Math.ceil(json.length / 8) * 8;
  const head = new Uint8Array(8 + size).fill(0x20);
  new DataView(head.buffer).setBigUint64(0, BigInt(size), true);
  head.set(json, 8);
  return head;
}
