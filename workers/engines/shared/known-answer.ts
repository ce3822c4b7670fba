import type { GenerateRequest } from '#core/host';
import type { CheckAnswer } from './engine-protocol.ts';

/**
 * A pattern that every trained language model continues in the same way: repeating a sequence is the first thing that
 * attention learns. It is short, so that a slow device can answer it. Its answer is far more likely than all others, so
 * that rounding has no effect. (Rounding can change the answer to `A B C A B C A B`.)
 */
const PROMPT = 'one two three four one two three four one two three';
const EXPECTED = /^\s*four\b/;

/**
 * The allowed difference between the log-probabilities of two devices. It is more than rounding and less than an error.
 */
const LOGPROB_TOLERANCE = 0.5;
/** How many of the likeliest tokens must be the same on both devices. */
const MIN_COMMON_TOKENS = 3;

/** The least cosine between the vectors of one text on two devices. */
const MIN_COSINE = 0.99;
/** The text whose vector checks an embedding model. */
export const CHECK_TEXT = 'Paris is the capital of France.';

/** The request that checks a device: the pattern, or one token to see whether its probability is a number. */
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

/** Whether an answer proves that the device computes correctly, without a comparison with the CPU. */
export function isExpectedAnswer(answer: CheckAnswer): boolean {
  return answer.isFinite && !answer.vector && EXPECTED.test(answer.text);
}

/**
 * Whether the answers of GPU and CPU agree, for models that do not continue the pattern. Compares the probabilities of the
 * first token, because complete answers can differ where two tokens are almost equally likely.
 */
export function answersAgree(gpu: CheckAnswer, cpu: CheckAnswer): boolean {
  if (!gpu.isFinite) return false;
  if (gpu.vector && cpu.vector) return dot(gpu.vector, cpu.vector) >= MIN_COSINE;
  const onCpu = new Map(cpu.likeliest);
  const differences = gpu.likeliest.flatMap(([token, logprob]) => {
    const other = onCpu.get(token);
    return other === undefined ? [] : [Math.abs(logprob - other)];
  });
  const minCommonTokens = Math.min(MIN_COMMON_TOKENS, cpu.likeliest.length);
  return (
    minCommonTokens > 0 &&
    differences.length >= minCommonTokens &&
    differences.every((difference) => difference <= LOGPROB_TOLERANCE)
  );
}

/** The dot product, which is the cosine for vectors of length 1. */
const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? Number.NaN), 0);
