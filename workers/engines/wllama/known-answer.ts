import type { GenerateRequest } from '../../../core/host/language-engine.ts';
import type { CheckAnswer } from './protocol.ts';

/**
 * A pattern that any trained language model continues the same way, whatever it was trained for: copying what followed
 * last time is the first thing that attention learns. It is 8 tokens or so, because a slow device must answer it too.
 */
const PROMPT = 'A B C A B C A B';
const EXPECTED = /^\s*C\b/;

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
    topLogprobs: 0,
  };
}

/** True when the answer can be trusted without asking the CPU. */
export function asExpected(answer: CheckAnswer): boolean {
  return answer.finite && EXPECTED.test(answer.text);
}

/** For models that do not know the pattern: what the CPU says is right. */
export function agrees(gpu: CheckAnswer, cpu: CheckAnswer): boolean {
  return (
    gpu.finite &&
    gpu.ids.length > 0 &&
    gpu.ids.length === cpu.ids.length &&
    gpu.ids.every((id, i) => id === cpu.ids[i])
  );
}
