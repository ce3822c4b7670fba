/** Positions of patches from a square table, of which an image uses the middle. */
import type { StoredTensor } from '#core/tensors';
import { elementCount } from '../../values/tensor.ts';
import { add, reshape } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

const TABLE = 'pos_embed.pos_embed';

/** The weights with the table of positions as [rows, columns, width]. Files store it as [1, rows · columns, width]. */
export function withSquareTable(
  weights: ReadonlyMap<string, StoredTensor>,
): ReadonlyMap<string, StoredTensor> {
  const table = weights.get(TABLE);
  if (!table) return weights;
  const side = tableSide(weights)!;
  return new Map([...weights, [TABLE, { ...table, shape: [side, side, table.shape.at(-1)!] }]]);
}

/** Patches along each side of the table. Undefined: there is none. */
export function tableSide(weights: ReadonlyMap<string, StoredTensor>): number | undefined {
  const table = weights.get(TABLE);
  return table && Math.sqrt(elementCount(table.shape) / table.shape.at(-1)!);
}

/**
 * [1, rows · columns, width]
 * @param m `pos_embed`
 * @param sides int64 [rows, columns]
 */
export function tablePositions(m: NetworkModule, sides: Value): Value {
  const { graph } = m;
  const [side = 0, , width = 0] = graph.tensor(TABLE).shape;
  const free = m.op('Sub', [graph.int64Initializer([side, side]), sides]);
  const start = m.op('Div', [free, graph.int64Initializer([2])]);
  const table = graph.externalInitializer(TABLE);
  const middle = m.op('Slice', [table, start, add(m, start, sides), graph.int64Initializer([0, 1])]);
  // Only the used part of the table is converted.
  return reshape(m, graph.storedFloats(TABLE, middle), 1, -1, width);
}
