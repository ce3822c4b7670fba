import { errorMessage } from '#core/base';
import type { EngineCounts, EngineEvent, GenerateRequest, TokenLogprob } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { ModelSteps } from './mlc-steps.ts';
import { type RepositoryTokenizer, TextStream } from './repository-tokenizer.ts';
import type { Candidate, TokenSampler } from './sampler.ts';

/** Tokens of a prompt that are evaluated together. An abort is effective between two steps. */
const PROMPT_STEP = 512;

export interface GeneratorParts {
  steps: ModelSteps;
  sampler: TokenSampler;
  tokenizer: Pick<RepositoryTokenizer, 'encode' | 'decode'>;
  contextLength: number;
  stopTokens: number[];
  bosToken: number | undefined;
}

/** Generates answers, one at a time. A prompt that extends the previous context is evaluated from there. */
export class Generator {
  /**
   * The tokens in the context. Undefined during a step and after a failed one, because the context is uncertain then.
   */
  #contextTokens: number[] | undefined = [];

  constructor(private readonly parts: GeneratorParts) {}

  /**
   * Generates one answer. `emit` receives its events, the last of which is `end`. Rejects with the signal's reason, or with
   * `EngineFailure` for a request that cannot be served.
   */
  async generate(
    request: GenerateRequest,
    signal: AbortSignal,
    emit: (event: EngineEvent) => void,
  ): Promise<void> {
    const { sampler, tokenizer, contextLength, stopTokens } = this.parts;
    const prompt = this.#promptTokens(request.prompt);
    if (request.media?.length) throw refused('web-llm takes no images here');
    if (prompt.length >= contextLength) {
      const message = `${prompt.length} tokens do not fit the context of ${contextLength}`;
      throw new EngineFailure({ kind: 'context', message, promptTokens: prompt.length, contextLength });
    }
    const counts: EngineCounts = {
      promptTokens: prompt.length,
      cachedTokens: 0,
      generatedTokens: 0,
      promptDuration: 0,
      generateDuration: 0,
    };
    const started = performance.now();
    let answerStarted = started;
    const end = (reason: 'stop' | 'length') => {
      counts.generateDuration = nanosecondsSince(answerStarted);
      emit({ type: 'end', reason, counts });
    };
    if (prompt.length === 0) {
      end('stop');
      return;
    }
    await this.#setGrammar(request.grammar);
    sampler.begin(request.sampling, request.topLogprobs, [...prompt]);
    counts.cachedTokens = await this.#reuseContext(prompt);
    emit({ type: 'progress', processed: counts.cachedTokens, total: prompt.length });
    let token = await this.#evaluate(prompt.slice(counts.cachedTokens), signal, (processed) =>
      emit({ type: 'progress', processed: counts.cachedTokens + processed, total: prompt.length }),
    );
    counts.promptDuration = nanosecondsSince(started);
    answerStarted = performance.now();
    const text = new TextStream((tokens) => tokenizer.decode(tokens));
    for (;;) {
      signal.throwIfAborted();
      counts.generatedTokens++;
      if (stopTokens.includes(token)) {
        this.#emitRest(text, emit);
        end('stop');
        return;
      }
      emit({ type: 'token', text: text.push(token), id: token, ...this.#logprob(request.topLogprobs) });
      if (counts.generatedTokens >= request.maxTokens) break;
      if ((this.#contextTokens?.length ?? 0) + 1 >= contextLength) {
        if (!request.shift) break;
        token = await this.#shift(token, request.keep, signal);
      } else {
        token = await this.#evaluate([token], signal);
      }
    }
    this.#emitRest(text, emit);
    end('length');
  }

  #promptTokens(prompt: string | number[]): number[] {
    const { tokenizer, bosToken } = this.parts;
    const tokens = typeof prompt === 'string' ? tokenizer.encode(prompt) : prompt;
    return bosToken === undefined || tokens[0] === bosToken ? tokens : [bosToken, ...tokens];
  }

  async #setGrammar(grammar: string | undefined): Promise<void> {
    try {
      await this.parts.steps.setGrammar(grammar);
    } catch (error) {
      throw refused(`the grammar cannot be used: ${errorMessage(error)}`);
    }
  }

  /** Resets the context unless `prompt` extends it, since tokens can only be added. Resolves with the number of reused tokens. */
  async #reuseContext(prompt: number[]): Promise<number> {
    const context = this.#contextTokens;
    const isExtended =
      context && context.length < prompt.length && context.every((token, index) => prompt[index] === token);
    if (isExtended) return context.length;
    await this.#reset();
    return 0;
  }

  async #reset(): Promise<void> {
    this.#contextTokens = undefined;
    await this.parts.steps.reset();
    this.#contextTokens = [];
  }

  /** Adds tokens to the context. Resolves with the next token that the sampler chooses. */
  async #evaluate(
    tokens: number[],
    signal: AbortSignal,
    onProgress: (processed: number) => void = () => {},
  ): Promise<number> {
    const { steps, sampler } = this.parts;
    for (let at = 0; ; at += PROMPT_STEP) {
      signal.throwIfAborted();
      const part = tokens.slice(at, at + PROMPT_STEP);
      const isLast = at + PROMPT_STEP >= tokens.length;
      const context = this.#contextTokens ?? [];
      this.#contextTokens = undefined;
      steps.ignoresGrammar = !isLast;
      sampler.isPaused = !isLast;
      const token = await steps.forward(part, tokens.length > 1);
      context.push(...part);
      this.#contextTokens = context;
      if (isLast) return token;
      onProgress(at + part.length);
    }
  }

  /** Evaluates the first `keep` tokens and the newer half of the others again. Drops the older half. */
  async #shift(token: number, keep: number, signal: AbortSignal): Promise<number> {
    const all = [...(this.#contextTokens ?? []), token];
    const head = all.slice(0, Math.min(Math.max(keep, 0), this.parts.contextLength - 4));
    const rest = all.slice(head.length);
    const remaining = [...head, ...rest.slice(Math.ceil(rest.length / 2))];
    await this.#reset();
    return this.#evaluate(remaining, signal);
  }

  #emitRest(text: TextStream, emit: (event: EngineEvent) => void): void {
    const rest = text.end();
    if (rest !== '') emit({ type: 'token', text: rest });
  }

  #logprob(topLogprobs: number | undefined) {
    const last = this.parts.sampler.last;
    if (topLogprobs === undefined || !last) return {};
    const toLogprob = ({ id, logprob }: Candidate): TokenLogprob => {
      const token = this.parts.tokenizer.decode([id]);
      return { token, bytes: [...new TextEncoder().encode(token)], logprob };
    };
    return { logprob: { ...toLogprob(last), top: last.top.map(toLogprob) } };
  }
}

const nanosecondsSince = (start: number) => Math.round((performance.now() - start) * 1e6);
const refused = (message: string) => new EngineFailure({ kind: 'refused', message });
