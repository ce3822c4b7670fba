import type { EngineCounts, EngineEvent, GenerateRequest, TokenLogprob } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { Steps } from './mlc-steps.ts';
import { type RepositoryTokenizer, TextStream } from './repository-tokenizer.ts';
import type { Candidate, Sampler } from './sampler.ts';

/** Tokens of a prompt that are evaluated together: what can be stopped between two of them. */
const PROMPT_STEP = 512;

export interface Parts {
  steps: Steps;
  sampler: Sampler;
  tokenizer: Pick<RepositoryTokenizer, 'encode' | 'decode'>;
  contextLength: number;
  stopTokens: number[];
  bosToken: number | undefined;
}

/** Answers one request after the other, step by step; what the context still holds of the one before is kept. */
export class Generator {
  /** Tokens that the context holds; undefined when a step has failed and nobody knows. */
  #kept: number[] | undefined = [];

  constructor(private readonly parts: Parts) {}

  async generate(
    request: GenerateRequest,
    signal: AbortSignal,
    emit: (event: EngineEvent) => void,
  ): Promise<void> {
    const { sampler, tokenizer, contextLength, stopTokens } = this.parts;
    const prompt = this.#tokens(request.prompt);
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
    let answering = started;
    const end = (reason: 'stop' | 'length') => {
      counts.generateDuration = nanoseconds(answering);
      emit({ type: 'end', reason, counts });
    };
    if (prompt.length === 0) {
      end('stop');
      return;
    }
    await this.#bind(request.grammar);
    sampler.begin(request.sampling, request.topLogprobs, [...prompt]);
    counts.cachedTokens = await this.#keepCommon(prompt);
    emit({ type: 'progress', processed: counts.cachedTokens, total: prompt.length });
    let token = await this.#evaluate(prompt.slice(counts.cachedTokens), signal, (processed) =>
      emit({ type: 'progress', processed: counts.cachedTokens + processed, total: prompt.length }),
    );
    counts.promptDuration = nanoseconds(started);
    answering = performance.now();
    const text = new TextStream((tokens) => tokenizer.decode(tokens));
    for (;;) {
      signal.throwIfAborted();
      counts.generatedTokens++;
      if (stopTokens.includes(token)) {
        this.#finish(text, emit);
        end('stop');
        return;
      }
      emit({ type: 'token', text: text.push(token), id: token, ...this.#logprob(request.topLogprobs) });
      if (counts.generatedTokens >= request.maxTokens) break;
      if ((this.#kept?.length ?? 0) + 1 >= contextLength) {
        if (!request.shift) break;
        token = await this.#shift(token, request.keep, signal);
      } else {
        token = await this.#evaluate([token], signal);
      }
    }
    this.#finish(text, emit);
    end('length');
  }

  #tokens(prompt: string | number[]): number[] {
    const { tokenizer, bosToken } = this.parts;
    const tokens = typeof prompt === 'string' ? tokenizer.encode(prompt) : prompt;
    return bosToken === undefined || tokens[0] === bosToken ? tokens : [bosToken, ...tokens];
  }

  async #bind(grammar: string | undefined): Promise<void> {
    try {
      await this.parts.steps.bind(grammar);
    } catch (error) {
      throw refused(`the grammar cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Only what is added at the end can be evaluated: for any other prompt the context begins anew. */
  async #keepCommon(prompt: number[]): Promise<number> {
    const kept = this.#kept;
    const goesOn =
      kept && kept.length < prompt.length && kept.every((token, index) => prompt[index] === token);
    if (goesOn) return kept.length;
    await this.#reset();
    return 0;
  }

  async #reset(): Promise<void> {
    this.#kept = undefined;
    await this.parts.steps.reset();
    this.#kept = [];
  }

  /** The token that follows. */
  async #evaluate(
    tokens: number[],
    signal: AbortSignal,
    onProgress: (processed: number) => void = () => {},
  ): Promise<number> {
    const { steps, sampler } = this.parts;
    for (let at = 0; ; at += PROMPT_STEP) {
      signal.throwIfAborted();
      const part = tokens.slice(at, at + PROMPT_STEP);
      const last = at + PROMPT_STEP >= tokens.length;
      const held = this.#kept ?? [];
      this.#kept = undefined;
      steps.loose = !last;
      sampler.paused = !last;
      const token = await steps.forward(part, tokens.length > 1);
      held.push(...part);
      this.#kept = held;
      if (last) return token;
      onProgress(at + part.length);
    }
  }

  /** The beginning and the newer half of the rest stay, evaluated again. */
  async #shift(token: number, keep: number, signal: AbortSignal): Promise<number> {
    const all = [...(this.#kept ?? []), token];
    const head = all.slice(0, Math.min(Math.max(keep, 0), this.parts.contextLength - 4));
    const rest = all.slice(head.length);
    const next = [...head, ...rest.slice(Math.ceil(rest.length / 2))];
    await this.#reset();
    return this.#evaluate(next, signal);
  }

  #finish(text: TextStream, emit: (event: EngineEvent) => void): void {
    const rest = text.end();
    if (rest !== '') emit({ type: 'token', text: rest });
  }

  #logprob(wanted: number | undefined) {
    const last = this.parts.sampler.last;
    if (wanted === undefined || !last) return {};
    const print = ({ id, logprob }: Candidate): TokenLogprob => {
      const token = this.parts.tokenizer.decode([id]);
      return { token, bytes: [...new TextEncoder().encode(token)], logprob };
    };
    return { logprob: { ...print(last), top: last.top.map(print) } };
  }
}

const nanoseconds = (since: number) => Math.round((performance.now() - since) * 1e6);
const refused = (message: string) => new EngineFailure({ kind: 'refused', message });
