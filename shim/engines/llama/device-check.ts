import type { KnownAnswer } from './protocol.ts';

/** Nats by which two right devices may differ on average: rounding of 16-bit arithmetic stays well under it. */
const TOLERANCE = 0.25;

/** Least cosine of two right devices' vectors of one text. */
const SAME_DIRECTION = 0.99;

/** Every evaluated number is a number. */
export function isNumeric(answer: KnownAnswer): boolean {
  const numbers = answer.vector ?? answer.logprobs;
  return numbers.length > 0 && numbers.every(Number.isFinite);
}

/**
 * A language model finds plain English much likelier than chance. False also for models that never learned English:
 * then only a comparison with the CPU can tell.
 */
export function isPlausible(answer: KnownAnswer): boolean {
  if (answer.vector) return isNumeric(answer);
  return isNumeric(answer) && mean(answer.logprobs) > -0.75 * Math.log(answer.vocabularySize);
}

/** Both devices find the same tokens equally likely. */
export function agrees(answer: KnownAnswer, reference: KnownAnswer): boolean {
  if (answer.vector && reference.vector) {
    return isNumeric(answer) && dot(answer.vector, reference.vector) >= SAME_DIRECTION;
  }
  if (!isNumeric(answer) || answer.logprobs.length !== reference.logprobs.length) return false;
  const differences = answer.logprobs.map((value, index) => Math.abs(value - reference.logprobs[index]!));
  return mean(differences) <= TOLERANCE;
}

/** Of vectors of length 1: the cosine between them. */
const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? Number.NaN), 0);
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
