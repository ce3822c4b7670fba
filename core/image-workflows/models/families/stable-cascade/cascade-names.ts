/** Names of Stable Cascade's weights, with the joint projections of attention split. */
import type { StoredTensor } from '#core/tensors';
import { rowsOf, type WeightTable } from '../../weight-files/weight-table.ts';

const JOINT = /^(.+\.attention\.attn)\.in_proj_(weight|bias)$/;

/** The weights with `to_q`, `to_k`, `to_v` and `to_out.0` in each attention. */
export function splitAttention(table: WeightTable): WeightTable {
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const [, module, parameter] = JOINT.exec(name) ?? [];
    if (module === undefined) {
      found.set(name.replace('.attention.attn.out_proj.', '.attention.attn.to_out.0.'), tensor);
      continue;
    }
    const rows = tensor.shape[0]! / 3;
    for (const [index, projection] of ['to_q', 'to_k', 'to_v'].entries())
      found.set(`${module}.${projection}.${parameter}`, rowsOf(tensor, index * rows, (index + 1) * rows));
  }
  return found;
}
