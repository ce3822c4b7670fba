import { randomInt } from 'node:crypto';
import type { Sampling } from '../../../../core/host/language-engine.ts';
import type { SequenceEvaluateOptions, Token } from '../llama-library.ts';

/**
 * The library's form of the options. Its order of samplers is that of llama-server: penalties, top-k, top-p, min-p,
 * temperature. `history` is read again for every token: prompt and answer so far. `typicalP` has no effect: the
 * library does not offer llama.cpp's locally typical sampling.
 */
export function samplingOptions(sampling: Sampling, history: readonly Token[]): SequenceEvaluateOptions {
  const { temperature, topK, topP, minP, repeatPenalty, presencePenalty, frequencyPenalty } = sampling;
  const window = sampling.repeatLastN < 0 ? Number.POSITIVE_INFINITY : sampling.repeatLastN;
  const penalised = window > 0 && (repeatPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0);
  return {
    temperature: Math.max(0, temperature),
    topK: Math.max(0, Math.trunc(topK)),
    topP,
    minP,
    seed: sampling.seed < 0 ? randomInt(2 ** 32 - 1) : Math.trunc(sampling.seed) % 2 ** 32,
    ...(penalised
      ? {
          repeatPenalty: {
            punishTokens: () => history.slice(-Math.min(window, history.length)),
            ...(Number.isFinite(window) ? { maxPunishTokens: window } : {}),
            penalty: repeatPenalty,
            presencePenalty,
            frequencyPenalty,
          },
        }
      : {}),
  };
}
