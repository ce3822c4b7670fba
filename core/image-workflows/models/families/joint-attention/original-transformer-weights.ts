/** Weights of transformers in their original layouts, by their names in diffusers. */
import type { StoredTensor } from '#core/tensors';
import {
  diffusersModules,
  type ModuleRows,
  type OriginalLayout,
} from '../../graphs/original-transformer-names.ts';
import { rowsOf, type WeightTable } from '../../weight-files/weight-table.ts';

/** Tensors without a place in the layout are left out. */
export function originalTransformer(layout: OriginalLayout, table: WeightTable): WeightTable {
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const dot = name.lastIndexOf('.');
    const single = diffusersModules(layout, name);
    // A few tensors are modules of their own.
    if (single) found.set(single[0]!.module, tensor);
    const parts = single ? [] : (diffusersModules(layout, name.slice(0, Math.max(dot, 0))) ?? []);
    // Flux calls the weight of a norm its scale.
    const parameter = name.slice(dot + 1).replace(/^scale$/, 'weight');
    for (const part of parts) found.set(`${part.module}.${parameter}`, rowsIn(tensor, part));
  }
  return found;
}

/** A single number, such as the scale of 8-bit floats, holds for all rows. */
function rowsIn(tensor: StoredTensor, { start, end, total }: ModuleRows): StoredTensor {
  const [rows = 1] = tensor.shape;
  if (total === 1 || rows === 1) return tensor;
  return rowsOf(tensor, (rows * start) / total, (rows * end) / total);
}
