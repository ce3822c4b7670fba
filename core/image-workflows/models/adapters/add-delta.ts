/** Adds an adapter's delta to weights, in place. */
import type { Steps } from '../../yielding/steps.ts';
import type { DeltaRow, DeltaShape } from './adapter-delta.ts';

export interface Delta extends DeltaShape {
  row: DeltaRow;
  /** The weights are stored as [columns, outputs]. */
  isTransposed: boolean;
}

/** weights += scale delta */
export function* addDelta(weights: Float32Array, delta: Delta, scale: number): Steps<void> {
  const { outputs, columns, isTransposed } = delta;
  const row = new Float32Array(columns);
  for (let output = 0; output < outputs; output++) {
    delta.row(output, row);
    if (isTransposed)
      for (let column = 0; column < columns; column++)
        weights[column * outputs + output]! += scale * row[column]!;
    else
      for (let column = 0; column < columns; column++)
        weights[output * columns + column]! += scale * row[column]!;
    yield;
  }
}

/**
 * DoRA (Liu et al., "DoRA: weight-decomposed low-rank adaptation", 2024, equation 5). The changed weights are normalized
 * and get learned magnitudes: one per output, or one per input for all outputs.
 *
 * @throws when the magnitudes do not fit the matrix.
 */
export function* addDoraDelta(
  weights: Float32Array,
  delta: Delta,
  alpha: number,
  strength: number,
  magnitudes: { numbers: Float32Array; perOutput: boolean },
): Steps<void> {
  const { outputs, columns, isTransposed } = delta;
  const indexOf = (output: number, column: number) =>
    isTransposed ? column * outputs + output : output * columns + column;
  const { numbers, perOutput } = magnitudes;
  const cells = perOutput ? 1 : columns / numbers.length;
  if (perOutput ? numbers.length !== outputs : !Number.isInteger(cells))
    throw new Error('the magnitudes of a DoRA adapter do not fit its matrices');
  const changed = new Float32Array(weights.length);
  const squares = new Float64Array(numbers.length);
  const row = new Float32Array(columns);
  for (let output = 0; output < outputs; output++) {
    delta.row(output, row);
    for (let column = 0; column < columns; column++) {
      const at = indexOf(output, column);
      changed[at] = weights[at]! + alpha * row[column]!;
      squares[perOutput ? output : Math.floor(column / cells)]! += changed[at]! ** 2;
    }
    yield;
  }
  for (let output = 0; output < outputs; output++) {
    for (let column = 0; column < columns; column++) {
      const at = indexOf(output, column);
      const group = perOutput ? output : Math.floor(column / cells);
      const target = (changed[at]! * numbers[group]!) / Math.max(Math.sqrt(squares[group]!), Number.EPSILON);
      weights[at]! += strength * (target - weights[at]!);
    }
    yield;
  }
}
