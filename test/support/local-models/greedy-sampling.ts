import type { Sampling } from '#core/host';

/** Always chooses the most probable token. The other values are Ollama's defaults; `changes` replaces some. */
export function greedySampling(changes: Partial<Sampling> = {}): Sampling {
  return {
    seed: 1,
    temperature: 0,
    topK: 40,
    topP: 0.9,
    minP: 0,
    typicalP: 1,
    repeatLastN: 64,
    repeatPenalty: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    ...changes,
  };
}
