import type { FilePath, Files } from '#core/host';
import { elementCount } from '../../values/tensor.ts';
import { encodeFloats, storedBytes } from '../graphs/stored-floats.ts';

export interface PlannedTensor {
  name: string;
  shape: readonly number[];
  /** Default: F16. */
  type?: 'F32' | 'F16' | 'BF16';
}

/** Undefined: the tensor is left out of the file. */
export type ComputeNumbers<T> = (tensor: T) => Promise<Float32Array | undefined>;

/**
 * Writes a file of tensors, which are computed one after another. The header is written last, into a
 * space that fits all planned tensors. The file appears complete or not at all; without tensors there is none.
 * Resolves to the number of tensors. Rejects with `StorageFull` and with errors of `compute`.
 *
 * @param texts the file's metadata.
 */
export async function writeSafetensorsFile<T extends PlannedTensor>(
  files: Files,
  path: FilePath,
  planned: readonly T[],
  compute: ComputeNumbers<T>,
  texts: Readonly<Record<string, string>>,
): Promise<number> {
  const header: Record<string, unknown> = {};
  if (Object.keys(texts).length > 0) header.__metadata__ = texts;
  const headerSize = headerSpace(header, planned);
  const writer = await files.create(path);
  try {
    let end = 0;
    let count = 0;
    for (const tensor of planned) {
      const numbers = await compute(tensor);
      if (!numbers) continue;
      const entry = headerEntry(tensor, end);
      const bytes = encodeFloats(numbers, tensor.type ?? 'F16');
      if (bytes.length !== entry.data_offsets[1]! - end)
        throw new TypeError(`${tensor.name} was planned as [${tensor.shape.join(', ')}]`);
      await writer.write(8 + headerSize + end, bytes);
      header[tensor.name] = entry;
      end = entry.data_offsets[1]!;
      count++;
    }
    if (count === 0) {
      await writer.abort();
      return 0;
    }
    const head = new Uint8Array(8 + headerSize).fill(0x20);
    new DataView(head.buffer).setBigUint64(0, BigInt(headerSize), true);
    head.set(encodeJson(header), 8);
    await writer.write(0, head);
    await writer.close();
    return count;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

const headerEntry = ({ shape, type = 'F16' }: PlannedTensor, start: number) => ({
  dtype: type,
  shape,
  data_offsets: [start, start + storedBytes(type, elementCount(shape))],
});

/** Bytes that suffice for all tensors, whichever are left out: every offset is written as the largest one. */
function headerSpace(header: Record<string, unknown>, planned: readonly PlannedTensor[]): number {
  const end = planned.reduce((sum, tensor) => sum + headerEntry(tensor, 0).data_offsets[1]!, 0);
  const longest = { ...header };
  for (const tensor of planned)
    longest[tensor.name] = { ...headerEntry(tensor, 0), data_offsets: [end, end] };
  return Math.ceil(encodeJson(longest).length / 8) * 8;
}

const encodeJson = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
