/** Sampler settings and token limits from a request's options. */
import type { Sampling } from '#core/host';
import { runnerError } from '../base/engine-errors.ts';
import type { ModelOptions } from '../base/model-options.ts';

const MAX_INT = 2_147_483_647;
/** Ollama's limit where a request sets none: a model that never ends its answer must stop some time. */
const MAX_CONTEXTS = 10;
const DEFAULT_KEEP = 4;

/**
 * Fills in the defaults of Ollama. Without a seed every run is different.
 * @throws ApiError 400 for a `repeat_last_n` that the sampler refuses
 */
export function sampling(options: ModelOptions): Sampling {
  const last = options.repeat_last_n ?? 64;
  if (last < 0 || last > MAX_INT) {
    throw runnerError(
      400,
      `Field 'repeat_last_n': Value must be between 0 <= value <= ${MAX_INT}, but got ${last}`,
      'invalid_request_error',
    );
  }
  const seed = options.seed ?? -1;
  return {
    seed: seed < 0 ? crypto.getRandomValues(new Uint32Array(1))[0]! : seed,
    temperature: Math.max(options.temperature ?? 0.8, 0),
    topK: Math.min(options.top_k ?? 40, MAX_INT),
    topP: options.top_p ?? 0.9,
    minP: options.min_p ?? 0,
    typicalP: options.typical_p ?? 1,
    repeatLastN: last,
    repeatPenalty: options.repeat_penalty ?? 1,
    presencePenalty: options.presence_penalty ?? 0,
    frequencyPenalty: options.frequency_penalty ?? 0,
  };
}

/**
 * The largest number of tokens in the answer: `num_predict`, or ten contexts when it is 0, negative, absent or more.
 */
export function maxTokens(numPredict: number | undefined, contextLength: number): number {
  const most = MAX_CONTEXTS * contextLength;
  return numPredict !== undefined && numPredict > 0 ? Math.min(numPredict, most) : most;
}

/** Tokens at the beginning of the context that survive a shift. */
export function tokensToKeep(options: ModelOptions): number {
  const keep = options.num_keep ?? DEFAULT_KEEP;
  return keep < 0 ? DEFAULT_KEEP : Math.min(keep, MAX_INT);
}
