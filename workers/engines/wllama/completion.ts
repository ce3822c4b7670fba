import type { EngineCounts, EngineEvent, GenerateRequest, TokenLogprob } from '#core/host';

/** The samplers of the API's options, in the order in which they are applied. */
const SAMPLERS = ['penalties', 'top_k', 'typ_p', 'top_p', 'min_p', 'temperature'];

/**
 * A request as llama.cpp's server takes it.
 * @param contextLength tokens of the answer's context
 * @param printedTokens special tokens that are printed like text
 */
export function completionBody(
  request: GenerateRequest,
  prompt: string,
  contextLength: number,
  printedTokens: string[],
): Record<string, unknown> {
  const { sampling } = request;
  return {
    prompt: wellFormed(prompt),
    stream: true,
    cache_prompt: true,
    return_progress: true,
    // Only the verbose part of a chunk contains token ids and the number of tokens so far.
    verbose: true,
    return_tokens: true,
    n_predict: Number.isFinite(request.maxTokens) ? Math.max(1, Math.trunc(request.maxTokens)) : -1,
    n_keep: Math.max(-1, Math.trunc(request.keep)),
    n_discard: 0,
    samplers: SAMPLERS,
    seed: Math.trunc(sampling.seed) >>> 0,
    temperature: Math.max(0, sampling.temperature),
    top_k: Math.max(0, Math.trunc(sampling.topK)),
    top_p: sampling.topP,
    min_p: sampling.minP,
    typical_p: sampling.typicalP,
    repeat_last_n: sampling.repeatLastN < 0 ? contextLength : Math.trunc(sampling.repeatLastN),
    repeat_penalty: sampling.repeatPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    preserved_tokens: printedTokens,
    ...(request.grammar === undefined ? {} : { grammar: request.grammar }),
    ...(request.topLogprobs === undefined ? {} : { n_probs: Math.max(1, request.topLogprobs) }),
  };
}

/** Replaces lone surrogates, which UTF-8 cannot encode: llama.cpp's JSON parser would refuse the request. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

interface Probability {
  id: number;
  token: string;
  bytes: number[];
  logprob: number;
  top_logprobs?: Probability[];
}

export interface CompletionChunk {
  choices?: {
    text: string;
    finish_reason: string | null;
    logprobs?: { content?: Probability[] } | null;
  }[];
  prompt_progress?: { total: number; cache: number; processed: number };
  timings?: {
    cache_n: number;
    prompt_n: number;
    prompt_ms: number;
    predicted_n: number;
    predicted_ms: number;
  };
  __verbose?: { tokens?: number[]; tokens_predicted?: number };
}

/** Turns the chunks of one completion into engine events. */
export class CompletionReader {
  promptTokens = 0;
  cachedTokens = 0;
  /** Tokens sampled so far. */
  generatedTokens = 0;
  hasEnded = false;
  readonly #started: number;
  #firstToken = 0;

  constructor(
    private readonly request: GenerateRequest,
    private readonly endOfGeneration: Set<number>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#started = this.now();
  }

  /** The events of a chunk. */
  read(chunk: CompletionChunk): EngineEvent[] {
    const progress = chunk.prompt_progress;
    if (progress) {
      this.promptTokens = progress.total;
      this.cachedTokens = progress.cache;
      return [{ type: 'progress', processed: progress.processed, total: progress.total }];
    }
    const choice = chunk.choices?.[0];
    if (!choice) return [];
    const events: EngineEvent[] = [];
    const tokenCount = chunk.__verbose?.tokens_predicted ?? this.generatedTokens + 1;
    const id = chunk.__verbose?.tokens?.[0];
    if (this.#firstToken === 0) this.#firstToken = this.now();
    if (choice.finish_reason === null) {
      // A character that spans several tokens comes in one chunk, with the id of the last token.
      while (this.generatedTokens < tokenCount - 1) this.#addEmptyToken(events);
      this.generatedTokens = tokenCount;
      if (id !== undefined && choice.text === '' && this.endOfGeneration.has(id)) return events;
      events.push(this.#token(choice.text, id, choice.logprobs?.content?.[0]));
      return events;
    }
    const predicted = chunk.timings?.predicted_n ?? this.generatedTokens;
    while (this.generatedTokens < predicted) this.#addEmptyToken(events);
    this.hasEnded = true;
    events.push({
      type: 'end',
      reason: choice.finish_reason === 'length' ? 'length' : 'stop',
      counts: this.#counts(chunk.timings),
    });
    return events;
  }

  /** The `end` event of an answer that was stopped because its context is full. */
  endAtContext(): EngineEvent {
    this.hasEnded = true;
    return { type: 'end', reason: 'length', counts: this.#counts() };
  }

  #addEmptyToken(events: EngineEvent[]): void {
    this.generatedTokens++;
    events.push({ type: 'token', text: '' });
  }

  #token(text: string, id: number | undefined, probability: Probability | undefined): EngineEvent {
    const top = this.request.topLogprobs;
    return {
      type: 'token',
      text,
      ...(id === undefined ? {} : { id }),
      ...(probability && top !== undefined
        ? {
            logprob: {
              ...toLogprob(probability),
              top: (probability.top_logprobs ?? []).slice(0, top).map(toLogprob),
            },
          }
        : {}),
    };
  }

  #counts(timings?: CompletionChunk['timings']): EngineCounts {
    if (timings) {
      return {
        promptTokens: timings.cache_n + timings.prompt_n,
        cachedTokens: timings.cache_n,
        generatedTokens: timings.predicted_n,
        promptDuration: Math.round(timings.prompt_ms * 1e6),
        generateDuration: Math.round(timings.predicted_ms * 1e6),
      };
    }
    const first = this.#firstToken || this.now();
    return {
      promptTokens: this.promptTokens,
      cachedTokens: this.cachedTokens,
      generatedTokens: this.generatedTokens,
      promptDuration: Math.round((first - this.#started) * 1e6),
      generateDuration: Math.round((this.now() - first) * 1e6),
    };
  }
}

function toLogprob({ token, bytes, logprob }: Probability): TokenLogprob {
  return { token, bytes, logprob };
}
