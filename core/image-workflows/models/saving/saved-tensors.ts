/** Tensors of a weight file that is to be written, and where their bytes lie now. */
import type { StoredTensor } from '#core/tensors';
import type { ModelGraph, StoredWeights } from '../../values/model-graph.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';

export interface SavedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** All have one type. Their bytes follow one another, and so do their rows. A transposed piece stands alone. */
  readonly pieces: readonly StoredTensor[];
}

/** Tensors of one source, with the graphs whose changes they get. */
export interface SavedPart {
  readonly stored: StoredWeights;
  readonly graphs: readonly ModelGraph[];
  readonly tensors: readonly SavedTensor[];
}

/** A tensor as its file has it, or turned as torch has it. */
export const sameTensor = (name: string, tensor: StoredTensor): SavedTensor => ({
  name,
  shape: tensor.isTransposed ? tensor.shape.toReversed() : tensor.shape,
  pieces: [tensor],
});

/** The tensors of a table under names that begin with `prefix`. */
export const allTensors = (table: WeightTable, prefix: string): SavedTensor[] =>
  [...table].map(([name, tensor]) => sameTensor(prefix + name, tensor));

/** The rows of several tensors, one after the other. */
export function joinedTensors(name: string, pieces: readonly StoredTensor[]): SavedTensor {
  const [, ...rest] = pieces[0]!.shape;
  const rows = pieces.reduce((sum, { shape }) => sum + (shape[0] ?? 1), 0);
  return { name, shape: [rows, ...rest], pieces };
}
