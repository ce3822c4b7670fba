import type {
  Llama,
  LlamaContext,
  LlamaContextSequence,
  LlamaEmbeddingContext,
  LlamaModel,
  Token,
} from '../llama-library.ts';

interface Sampler {
  applyConfig(config: { temperature: number }): void;
}
interface NativeModel {
  getTokenString(token: number): string;
}
interface NativeContext {
  getMemoryBreakdown(): { cpuRam: number; gpuVram: number };
  sampleToken(
    index: number,
    sampler: Sampler,
    probabilities: boolean,
    confidence: boolean,
    logits: [tokens: number[], highest: boolean, lowest: boolean, selected: boolean, top: number],
    totalWeight: boolean,
  ): Promise<[unknown, unknown, unknown, pairs: number[], totalWeight: number]>;
}

export interface RawLogprobs {
  logprob: number;
  top: { token: Token; logprob: number }[];
}

/**
 * The three things that node-llama-cpp knows but does not offer: the bytes behind a token, the untouched logits of the
 * last evaluated position beside a sampled token, and the memory that llama.cpp really took. Its version is pinned for
 * this; the constructor says so when one of them has moved.
 */
export class Internals {
  readonly #model: NativeModel;
  readonly #context: NativeContext;
  readonly #sampler: Sampler;

  constructor(llama: Llama, model: LlamaModel, context: LlamaContext) {
    const native = model as unknown as { _model?: NativeModel };
    const nativeContext = context as unknown as { _ctx?: NativeContext };
    const bindings = llama as unknown as {
      _bindings?: { AddonSampler?: new (model: NativeModel) => Sampler };
    };
    const AddonSampler = bindings._bindings?.AddonSampler;
    if (!native._model?.getTokenString || !nativeContext._ctx?.sampleToken || !AddonSampler) {
      throw new Error(
        'this version of node-llama-cpp does not fit tabd: install the one that tabd-shim names',
      );
    }
    this.#model = native._model;
    this.#context = nativeContext._ctx;
    this.#sampler = new AddonSampler(native._model);
    // Greedy without penalties: the candidates keep the logits as the model gave them.
    this.#sampler.applyConfig({ temperature: 0 });
  }

  /** A token as the vocabulary spells it, in the encoding of its kind of vocabulary. */
  tokenString(token: Token): string {
    return this.#model.getTokenString(token);
  }

  memory(): { total: number; gpu: number } {
    const { cpuRam, gpuVram } = this.#context.getMemoryBreakdown();
    return { total: cpuRam + gpuVram, gpu: gpuVram };
  }

  /** Log-probabilities over the whole vocabulary at the position whose next token was just sampled. */
  async logprobs(token: Token, top: number): Promise<RawLogprobs> {
    const [, , , pairs, weight] = await this.#context.sampleToken(
      -1,
      this.#sampler,
      false,
      false,
      // The largest logit is needed for the sum, so at least one is asked for.
      [[token], false, false, false, Math.max(1, top)],
      true,
    );
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
