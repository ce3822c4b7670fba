/** Single evaluation steps of web-llm, without its conversations and its sampling options. */
import type { MLCEngine } from '@mlc-ai/web-llm';

/** web-llm's private state of a loaded model: the only access to grammars without a conversation. */
interface Pipeline {
  prepareGrammarMatcherForSampling(config: GrammarConfig): Promise<void> | undefined;
  sampleFromRawLogits(logits: unknown, config?: GrammarConfig): Promise<number>;
  commitSamplerState(token: number, config?: GrammarConfig): void;
}
interface GrammarConfig {
  response_format: { type: 'grammar'; grammar: string };
}

export interface ModelSteps {
  /** Evaluates tokens behind the earlier ones. Resolves with the token that the sampler chooses. */
  forward(tokens: number[], isPrompt: boolean): Promise<number>;
  /** Forgets all tokens. */
  reset(): Promise<void>;
  /** Sets the grammar of the following steps. Rejects with web-llm's error for an invalid one. */
  setGrammar(grammar: string | undefined): Promise<void>;
  /** Whether steps neither follow nor advance the grammar. */
  ignoresGrammar: boolean;
}

/** @throws when this version of web-llm lacks the private functions */
export class MlcSteps implements ModelSteps {
  ignoresGrammar = false;
  #grammar: GrammarConfig | undefined;
  readonly #pipeline: Pipeline;

  constructor(
    private readonly engine: Pick<MLCEngine, 'forwardTokensAndSample' | 'resetChat'>,
    id: string,
  ) {
    const { loadedModelIdToPipeline } = engine as unknown as {
      loadedModelIdToPipeline?: Map<string, Pipeline>;
    };
    const pipeline = loadedModelIdToPipeline?.get(id);
    for (const name of [
      'prepareGrammarMatcherForSampling',
      'sampleFromRawLogits',
      'commitSamplerState',
    ] as const) {
      if (typeof pipeline?.[name] !== 'function') throw new Error(`this version of web-llm has no ${name}`);
    }
    this.#pipeline = pipeline!;
    // web-llm applies a grammar in conversations only. Here every step applies it, unless `ignoresGrammar` is set.
    const { sampleFromRawLogits, commitSamplerState } = pipeline!;
    pipeline!.sampleFromRawLogits = (logits) =>
      sampleFromRawLogits.call(pipeline, logits, this.#activeGrammar());
    pipeline!.commitSamplerState = (token) => commitSamplerState.call(pipeline, token, this.#activeGrammar());
  }

  forward(tokens: number[], isPrompt: boolean): Promise<number> {
    return this.engine.forwardTokensAndSample(tokens, isPrompt);
  }

  reset(): Promise<void> {
    return this.engine.resetChat();
  }

  async setGrammar(grammar: string | undefined): Promise<void> {
    this.#grammar = grammar === undefined ? undefined : { response_format: { type: 'grammar', grammar } };
    if (this.#grammar) await this.#pipeline.prepareGrammarMatcherForSampling(this.#grammar);
  }

  #activeGrammar(): GrammarConfig | undefined {
    return this.ignoresGrammar ? undefined : this.#grammar;
  }
}
