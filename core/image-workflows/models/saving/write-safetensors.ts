import type { FilePath, Files } from '#core/host';
import { elementCount } from '../../values/tensor.ts';
import { encodeFloats } from '../graphs/stored-floats.ts';

export interface PlannedTensor {
  name: string;
  shape: readonly number[];
}

/** undefined: it is left out. */
export type MakeNumbers<T> = (tensor: T) => Promise<Float32Array | undefined>;

/**
 * Half-precision tensors, made and written one after another: the table at the head gets the room that all of them would need,
 * and is written last. The file is there when it is whole, or never. Gives how many it holds; with none there is no file.
 * Throws `StorageFull`, and what making them throws.
 */
export async function writeSafetensorsFile<T extends PlannedTensor>(
  files: Files,
  path: FilePath,
  planned: readonly T[],
  make: MakeNumbers<T>,
  texts: Readonly<Record<string, string>>,
): Promise<number> {
  const table: Record<string, unknown> = {};
  if (Object.keys(texts).length > 0) table.__metadata__ = texts;
  const entry = ({ shape }: PlannedTensor, start: number) => ({
    dtype: 'F16',
    shape,
    data_offsets: [start, start + 2 * elementCount(shape)],
  });
  // The largest places that there can be.
  const longest = { ...table };
  let all = 0;
  for (const tensor of planned) {
    const { data_offsets } = entry(tensor, all);
    all = data_offsets[1]!;
  }
  for (const tensor of planned) longest[tensor.name] = { ...entry(tensor, 0), data_offsets: [all, all] };
  const room = Math.ceil(encoded(longest).length / 8) * 8;

  const writer = await files.create(path);
  try {
    let end = 0;
    let count = 0;
    for (const tensor of planned) {
      const numbers = await make(tensor);
      if (!numbers) continue;
      const told = entry(tensor, end);
      const bytes = encodeFloats(numbers, 'F16');
      if (bytes.length !== told.data_offsets[1]! - end)
        throw new TypeError(`${tensor.name} was to be [${tensor.shape.join(', ')}]`);
      await writer.write(8 + room + end, bytes);
      table[tensor.name] = told;
      end = told.data_offsets[1]!;
      count++;
    }
    if (count === 0) {
      await writer.abort();
      return 0;
    }
    const head = new Uint8Array(8 + room).fill(0x20);
    new DataView(head.buffer).setBigUint64(0, BigInt(room), true);
    head.set(encoded(table), 8);
    await writer.write(0, head);
    await writer.close();
    return count;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

const encoded = (table: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(table));
