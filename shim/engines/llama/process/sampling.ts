import { randomInt } from 'node:crypto';
import type { Sampling } from '#core/host';
import type { LlamaGrammarEvaluationState, Token } from '../llama-library.ts';

/**
 * The configuration of the library's sampler. Its order is that of llama-server: penalties, top-k, top-p,
 * min-p, temperature. Penalties apply to the tokens of `prompt` and to sampled ones. `typicalP` has no
 * effect, because the library lacks llama.cpp's locally typical sampling.
 */
export function samplerConfig(
  sampling: Sampling,
  prompt: readonly Token[],
  contextLength: number,
  grammar: LlamaGrammarEvaluationState | undefined,
): Record<string, unknown> {
  const { temperature, topK, topP, minP, repeatPenalty, presencePenalty, frequencyPenalty } = sampling;
  const window = sampling.repeatLastN < 0 ? contextLength : Math.trunc(sampling.repeatLastN);
  const penalized = window > 0 && (repeatPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0);
  return {
    temperature: Math.max(0, temperature),
    topK: Math.max(0, Math.trunc(topK)),
    topP,
    minP,
    seed: sampling.seed < 0 ? randomInt(2 ** 32 - 1) : Math.trunc(sampling.seed) % 2 ** 32,
    ...(penalized
      ? {
          repeatPenalty,
          repeatPenaltyMaxTokens: window,
          repeatPenaltyTokens: Uint32Array.from(prompt.slice(-window)),
          repeatPenaltyPresencePenalty: presencePenalty,
          repeatPenaltyFrequencyPenalty: frequencyPenalty,
        }
      : {}),
    ...(grammar ? { grammarEvaluationState: (grammar as unknown as { _state: unknown })._state } : {}),
  };
}
