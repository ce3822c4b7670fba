/** Adding what an adapter says to the weights that are there, in place. */
import type { Steps } from '../../yielding/steps.ts';
import type { DeltaRow, DeltaShape } from './adapter-delta.ts';

export interface Delta extends DeltaShape {
  row: DeltaRow;
  /** The weights are kept as [columns, outputs]. */
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
 * Direction and length apart (Liu et al., "DoRA: weight-decomposed low-rank adaptation", 2024, equation 5): the changed weights
 * get the lengths that were learned, one for each output, or for each input of all outputs.
 */
export function* addDoraDelta(
  weights: Float32Array,
  delta: Delta,
  alpha: number,
  strength: number,
  lengths: { numbers: Float32Array; areOfOutputs: boolean },
): Steps<void> {
  const { outputs, columns, isTransposed } = delta;
  const placeOf = (output: number, column: number) =>
    isTransposed ? column * outputs + output : output * columns + column;
  const { numbers, areOfOutputs } = lengths;
  const cells = areOfOutputs ? 1 : columns / numbers.length;
  if (areOfOutputs ? numbers.length !== outputs : !Number.isInteger(cells))
    throw new Error('the lengths of a DoRA adapter do not fit its matrices');
  const changed = new Float32Array(weights.length);
  const sums = new Float64Array(numbers.length);
  const row = new Float32Array(columns);
  for (let output = 0; output < outputs; output++) {
    delta.row(output, row);
    for (let column = 0; column < columns; column++) {
      const place = placeOf(output, column);
      changed[place] = weights[place]! + alpha * row[column]!;
      sums[areOfOutputs ? output : Math.floor(column / cells)]! += changed[place]! ** 2;
    }
    yield;
  }
  for (let output = 0; output < outputs; output++) {
    for (let column = 0; column < columns; column++) {
      const place = placeOf(output, column);
      const of = areOfOutputs ? output : Math.floor(column / cells);
      const turned = (changed[place]! * numbers[of]!) / Math.max(Math.sqrt(sums[of]!), Number.EPSILON);
      weights[place]! += strength * (turned - weights[place]!);
    }
    yield;
  }
}
