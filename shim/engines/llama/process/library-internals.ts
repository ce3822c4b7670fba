import type { LlamaContext, LlamaContextSequence, LlamaEmbeddingContext, Token } from '../llama-library.ts';
import type { Native, NativeSampler } from './native.ts';

export interface RawLogprobs {
  logprob: number;
  top: { token: Token; logprob: number }[];
}

/**
 * Data that node-llama-cpp does not expose: a token's bytes, the unmodified logits of an output, and
 * llama.cpp's actual memory use.
 */
export class Internals {
  readonly #native: Native;
  /** The sampler stores the candidates of one reading at a time. */
  readonly #sampler: NativeSampler;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(native: Native) {
    this.#native = native;
    this.#sampler = native.newSampler();
    // Greedy sampling without penalties leaves the candidates' logits unchanged.
    this.#sampler.applyConfig({ temperature: 0 });
  }

  /** A token's text in the encoding of its kind of vocabulary. */
  tokenString(token: Token): string {
    return this.#native.model.getTokenString(token);
  }

  memory(): { total: number; gpu: number } {
    const { cpuRam, gpuVram } = this.#native.context.getMemoryBreakdown();
    return { total: cpuRam + gpuVram, gpu: gpuVram };
  }

  /** Log-probabilities over the entire vocabulary, of an output of the last batch. */
  async logprobs(output: number, token: Token, top: number): Promise<RawLogprobs> {
    // At least one token is read, because the sum needs the largest logit.
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

  /** The 32 largest logits of an output as a text, for exact comparison. */
  async fingerprint(output: number): Promise<string> {
    const { pairs, weight } = await this.#read(output, [], 32);
    return `${weight} ${pairs.join(' ')}`;
  }

  /**
   * `pairs`: tokens and logits alternately, of `tokens` and of the `top` likeliest ones. `weight`: sum of
   * exp(logit - largest).
   */
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

/** The context within an embedding context, and its only sequence. */
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

/** A probability that underflows to 0 has the logarithm -Infinity, which JSON cannot express. */
const finite = (value: number): number => Math.max(value, -Number.MAX_VALUE);
