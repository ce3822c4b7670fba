/** Tables of tensors in GGUF files: networks in their original names, and text encoders in those of llama.cpp. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import {
  blockLayout,
  type GgufHeader,
  type GgufTensor,
  type ReadRange,
  readGgufHeader,
  type SafetensorsEntry,
} from '#core/tensors';
import { elementCount } from '../../values/tensor.ts';
import names from './gguf-names.json' with { type: 'json' };

/** The names of encoders by the architecture in the file. Others have the names of their original files. */
const NAMES: Readonly<Record<string, keyof typeof names>> = {
  t5: 't5',
  t5encoder: 't5',
  qwen2: 'qwen',
  qwen2vl: 'qwen',
  qwen3: 'qwen',
};
/** Types of single numbers, which safetensors files spell alike. */
const PLAIN = ['F32', 'F16', 'BF16', 'F64', 'I8', 'I16', 'I32', 'I64'];
/** The beginning of keys with the shapes of tensors that were flattened for their blocks. */
const SHAPE = 'comfy.gguf.orig_shape.';
const MAX_SIDES = 8;
/** Bytes that are read at once. */
const PIECE = 2 ** 20;

/** @param start the first bytes of a file */
export const isGguf = (start: Uint8Array): boolean =>
  new TextDecoder().decode(start.subarray(0, 4)) === 'GGUF';

/**
 * The tensors of a GGUF file, under the names by which safetensors files have them. Rejects with `ModelCorrupt` for a
 * damaged file, and with `ModelUnsupported` for types of tensors that cannot be read.
 * @param size bytes of the file
 */
export async function readGgufTable(size: number, read: ReadRange): Promise<SafetensorsEntry[]> {
  // Vocabularies of encoders are not needed, but shapes are.
  const isKept = (key: string, length: number) => key.startsWith(SHAPE) && length <= MAX_SIDES;
  const header = await readGgufHeader(bytesOf(size, read), size, isKept);
  const kind = NAMES[String(header.keyValues.get('general.architecture'))];
  const renamings = kind ? names[kind].map(([from, to]) => [new RegExp(from!), to!] as const) : [];
  const found = header.tensors.map((tensor) => ({
    ...entryOf(tensor, header),
    name: renamings.reduce((name, [from, to]) => name.replace(from, to), tensor.name),
  }));
  rejectRepeated(found);
  return found;
}

/** The file's bytes from its start, as far as the reader of the stream asks for them. */
function bytesOf(size: number, read: ReadRange): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at >= size) return controller.close();
      const bytes = await read(at, Math.min(size, at + PIECE));
      at += bytes.length;
      controller.enqueue(bytes);
    },
  });
}

function entryOf(tensor: GgufTensor, { keyValues }: GgufHeader): SafetensorsEntry {
  const { name, type, start, end } = tensor;
  if (!PLAIN.includes(type) && !blockLayout(type))
    throw new ModelUnsupported(
      `its tensor ${name} is stored as ${type}, which cannot be read here: use a file of the types Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_XS, IQ4_NL, IQ3_S, IQ2_S, F16 or BF16`,
    );
  const { elements = 1 } = blockLayout(type) ?? {};
  if ((tensor.shape[0] ?? 1) % elements !== 0)
    throw new ModelCorrupt(`its tensor ${name} has rows that are no complete blocks of ${type}`);
  return { name, type, shape: shapeOf(tensor, keyValues.get(SHAPE + name)), start, end };
}

/** GGUF files name the innermost side first. */
function shapeOf({ name, shape, elements }: GgufTensor, original: unknown): number[] {
  if (original === undefined) return shape.toReversed();
  const isShape =
    Array.isArray(original) &&
    original.every((side) => Number.isSafeInteger(side) && side > 0) &&
    elementCount(original) === elements;
  if (!isShape) throw new ModelCorrupt(`the shape of its tensor ${name} does not fit its numbers`);
  return original;
}

function rejectRepeated(entries: readonly SafetensorsEntry[]): void {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) throw new ModelCorrupt(`it has the tensor ${name} twice`);
    seen.add(name);
  }
}
