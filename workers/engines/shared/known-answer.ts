import type { GenerateRequest } from '#core/host';
import type { CheckAnswer } from './engine-protocol.ts';

/**
 * A pattern that any trained language model continues the same way, whatever it was trained for: copying what followed
 * last time is the first thing that attention learns. It is short, because a slow device must answer it too, and its
 * answer is well ahead of all others, so that rounding does not decide (with `A B C A B C A B` it does).
 */
const PROMPT = 'one two three four one two three four one two three';
const EXPECTED = /^\s*four\b/;

/** Natural logarithms of probabilities may differ by this much between devices: more than rounding, less than an error. */
const TOLERANCE = 0.5;
/** Of the likeliest tokens so many must be the same on both devices. */
const IN_COMMON = 3;

/** Least cosine of two right devices' vectors of one text. */
const SAME_DIRECTION = 0.99;
/** What a model for embeddings is checked with. */
export const CHECK_TEXT = 'Paris is the capital of France.';

export function checkRequest(kind: 'answer' | 'finite'): GenerateRequest {
  return {
    prompt: kind === 'answer' ? PROMPT : 'A',
    sampling: {
      seed: 1,
      temperature: 0,
      topK: 0,
      topP: 1,
      minP: 0,
      typicalP: 1,
      repeatLastN: 0,
      repeatPenalty: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
    },
    maxTokens: kind === 'answer' ? 2 : 1,
    keep: 0,
    shift: false,
    topLogprobs: 5,
  };
}

/** True when the answer can be trusted without asking the CPU. */
export function asExpected(answer: CheckAnswer): boolean {
  return answer.finite && !answer.vector && EXPECTED.test(answer.text);
}

/**
 * For models that do not know the pattern: the likeliest first tokens must be about as likely on the CPU. (Whole answers
 * may part where two tokens are nearly equal.)
 */
export function agrees(gpu: CheckAnswer, cpu: CheckAnswer): boolean {
  if (!gpu.finite) return false;
  if (gpu.vector && cpu.vector) return dot(gpu.vector, cpu.vector) >= SAME_DIRECTION;
  const onCpu = new Map(cpu.likeliest);
  const differences = gpu.likeliest.flatMap(([token, logprob]) => {
    const other = onCpu.get(token);
    return other === undefined ? [] : [Math.abs(logprob - other)];
  });
  const needed = Math.min(IN_COMMON, cpu.likeliest.length);
  return needed > 0 && differences.length >= needed && differences.every((it) => it <= TOLERANCE);
}

/** Of vectors of length 1: the cosine between them. */
const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? Number.NaN), 0);
