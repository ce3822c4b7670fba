import type { StoredTensor } from '#core/tensors';

/** The tensors of one or more files, by name. */
export type WeightTable = ReadonlyMap<string, StoredTensor>;

/** The tensors whose names begin with `prefix`, by the rest of their names. */
export function withoutPrefix(table: WeightTable, prefix: string): WeightTable {
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table)
    if (name.startsWith(prefix)) found.set(name.slice(prefix.length), tensor);
  return found;
}

/** Whether the name of a tensor begins with `prefix`. */
export function hasPrefix(table: WeightTable, prefix: string): boolean {
  for (const name of table.keys()) if (name.startsWith(prefix)) return true;
  return false;
}

/** The tensors under other names. Those without a new name are left out. */
export function renamed(table: WeightTable, newName: (name: string) => string | undefined): WeightTable {
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const changed = newName(name);
    if (changed !== undefined) found.set(changed, tensor);
  }
  return found;
}

/** The rows [start, end) of a tensor along its first axis. */
export function rowsOf(tensor: StoredTensor, start: number, end: number): StoredTensor {
  const [rows = 1, ...rest] = tensor.shape;
  const bytes = (tensor.end - tensor.start) / rows;
  return {
    ...tensor,
    shape: [end - start, ...rest],
    start: tensor.start + start * bytes,
    end: tensor.start + end * bytes,
  };
}

/** A matrix that is stored as a convolution with a kernel of 1 x 1. */
export const asMatrix = (tensor: StoredTensor): StoredTensor => ({
  ...tensor,
  shape: tensor.shape.slice(0, 2),
});

/** The kernel of a convolution over frames alone, without its last side of 1. Other tensors stay. */
export const overFrames = (tensor: StoredTensor): StoredTensor =>
  tensor.shape.length === 5 ? { ...tensor, shape: tensor.shape.slice(0, 4) } : tensor;
