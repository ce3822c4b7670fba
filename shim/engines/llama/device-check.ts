import type { KnownAnswer } from './protocol.ts';

/** The largest mean difference of log-probabilities between two correct devices. 16-bit rounding causes far less. */
const TOLERANCE = 0.25;

/** Smallest cosine between the vectors that two correct devices compute for one text. */
const SAME_DIRECTION = 0.99;

/** Whether the answer contains numbers, all of them finite. */
export function isNumeric(answer: KnownAnswer): boolean {
  const numbers = answer.vector ?? answer.logprobs;
  return numbers.length > 0 && numbers.every(Number.isFinite);
}

/**
 * Whether the model finds plain English much likelier than random tokens. Also false for models that never
 * learned English; their answer must be compared with the CPU's.
 */
export function isPlausible(answer: KnownAnswer): boolean {
  if (answer.vector) return isNumeric(answer);
  return isNumeric(answer) && mean(answer.logprobs) > -0.75 * Math.log(answer.vocabularySize);
}

/** Whether two devices give the tokens nearly the same probabilities, or nearly the same vector. */
export function agrees(answer: KnownAnswer, reference: KnownAnswer): boolean {
  if (answer.vector && reference.vector) {
    return isNumeric(answer) && dot(answer.vector, reference.vector) >= SAME_DIRECTION;
  }
  if (!isNumeric(answer) || answer.logprobs.length !== reference.logprobs.length) return false;
  const differences = answer.logprobs.map((value, index) => Math.abs(value - reference.logprobs[index]!));
  return mean(differences) <= TOLERANCE;
}

/** The cosine between two vectors of length 1. */
const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? Number.NaN), 0);
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
