import type { RecordedNumbers } from './recorded-numbers.ts';

/** Largest differences, as shares of the recorded spread. Sampling adds up the differences of its steps. */
export const TOLERANCE = { once: 1e-4, sampled: 1e-3 };

/** Prints how far an array is from the recorded one. False when it is too far; true when none was recorded. */
export function isNear(
  numbers: RecordedNumbers,
  name: string,
  actual: Float32Array,
  tolerance = TOLERANCE.once,
): boolean {
  const difference = numbers.difference(name, actual);
  if (difference === undefined) return true;
  const near = difference <= tolerance;
  console.log(`${near ? 'ok  ' : 'FAR '} ${name}: ${difference.toExponential(1)} of its spread`);
  return near;
}
