import type { LlamaContext, LlamaContextSequence, LlamaEmbeddingContext, Token } from '../llama-library.ts';
import type { Native, NativeSampler } from './native.ts';

export interface RawLogprobs {
  logprob: number;
  top: { token: Token; logprob: number }[];
}

/**
 * What node-llama-cpp knows but does not offer: the bytes behind a token, the untouched logits behind an output, and the
 * memory that llama.cpp really took.
 */
export class Internals {
  readonly #native: Native;
  /** Holds the candidates while it reads: for one at a time. */
  readonly #sampler: NativeSampler;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(native: Native) {
    this.#native = native;
    this.#sampler = native.newSampler();
    // Greedy without penalties: the candidates keep the logits as the model gave them.
    this.#sampler.applyConfig({ temperature: 0 });
  }

  /** A token as the vocabulary spells it, in the encoding of its kind of vocabulary. */
  tokenString(token: Token): string {
    return this.#native.model.getTokenString(token);
  }

  memory(): { total: number; gpu: number } {
    const { cpuRam, gpuVram } = this.#native.context.getMemoryBreakdown();
    return { total: cpuRam + gpuVram, gpu: gpuVram };
  }

  /** Log-probabilities over the whole vocabulary behind an output of the last batch. */
  async logprobs(output: number, token: Token, top: number): Promise<RawLogprobs> {
    // The largest logit is needed for the sum, so at least one is asked for.
    const { pairs, weight } = await this.#read(output, [token], Math.max(1, top));
    const logits = new Map<Token, number>();
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      logits.set(pairs[index] as Token, pairs[index + 1]!);
    }
    const descending = [...logits].sort((a, b) => b[1] - a[1]);
    const logSum = descending[0]![1] + Math.log(weight);
    return {
      logprob: finite(logits.get(token)! - logSum),
      top: descending.slice(0, top).map(([id, logit]) => ({ token: id, logprob: finite(logit - logSum) })),
    };
  }

  /** Logits behind an output, those that a wrong sum would change first, as text that is equal when they are. */
  async fingerprint(output: number): Promise<string> {
    const { pairs, weight } = await this.#read(output, [], 32);
    return `${weight} ${pairs.join(' ')}`;
  }

  /** Logits of these tokens and of the likeliest ones, token and logit by turns; the sum of all, relative to the largest. */
  #read(output: number, tokens: Token[], top: number): Promise<{ pairs: number[]; weight: number }> {
    const reading = this.#reading.then(async () => {
      const [, , , pairs, weight] = await this.#native.context.sampleToken(
        output,
        this.#sampler,
        false,
        false,
        [tokens, false, false, false, top],
        true,
      );
      return { pairs, weight };
    });
    this.#reading = reading.catch(() => {});
    return reading;
  }
}

/** The context behind one for embeddings, and its one sequence. */
export function innerContext(embedding: LlamaEmbeddingContext): {
  context: LlamaContext;
  sequence: LlamaContextSequence;
} {
  const { _llamaContext: context, _sequence: sequence } = embedding as unknown as {
    _llamaContext: LlamaContext;
    _sequence: LlamaContextSequence;
  };
  return { context, sequence };
}

/** A probability that underflows to 0 has no logarithm that JSON could carry. */
const finite = (value: number): number => Math.max(value, -Number.MAX_VALUE);
