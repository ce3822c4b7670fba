/** The part of web-llm that is used: its steps, one token each, below its conversations and its sampler. */
import type { MLCEngine } from '@mlc-ai/web-llm';

/** web-llm's own state of a loaded model. It has no public way to a grammar without a conversation. */
interface Pipeline {
  prepareGrammarMatcherForSampling(config: GrammarConfig): Promise<void> | undefined;
  sampleFromRawLogits(logits: unknown, config?: GrammarConfig): Promise<number>;
  commitSamplerState(token: number, config?: GrammarConfig): void;
}
interface GrammarConfig {
  response_format: { type: 'grammar'; grammar: string };
}

export interface Steps {
  /** Evaluates tokens behind those before, and tells the one that the sampler chose. */
  forward(tokens: number[], isPrompt: boolean): Promise<number>;
  /** Forgets all tokens. */
  reset(): Promise<void>;
  /** The grammar that binds from the next step on. Throws what web-llm says of one that it cannot take. */
  bind(grammar: string | undefined): Promise<void>;
  /** While true no step moves the grammar. */
  loose: boolean;
}

export class MlcSteps implements Steps {
  loose = false;
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
    // web-llm binds grammars only in conversations; here they bind every step that is not loose.
    const { sampleFromRawLogits, commitSamplerState } = pipeline!;
    pipeline!.sampleFromRawLogits = (logits) => sampleFromRawLogits.call(pipeline, logits, this.#binding());
    pipeline!.commitSamplerState = (token) => commitSamplerState.call(pipeline, token, this.#binding());
  }

  forward(tokens: number[], isPrompt: boolean): Promise<number> {
    return this.engine.forwardTokensAndSample(tokens, isPrompt);
  }

  reset(): Promise<void> {
    return this.engine.resetChat();
  }

  async bind(grammar: string | undefined): Promise<void> {
    this.#grammar = grammar === undefined ? undefined : { response_format: { type: 'grammar', grammar } };
    if (this.#grammar) await this.#pipeline.prepareGrammarMatcherForSampling(this.#grammar);
  }

  #binding(): GrammarConfig | undefined {
    return this.loose ? undefined : this.#grammar;
  }
}
