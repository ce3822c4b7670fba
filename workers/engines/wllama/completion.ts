import type { EngineCounts, EngineEvent, GenerateRequest, TokenLogprob } from '#core/host';

/** The samplers that the API has options for, in the order in which they are applied. */
const SAMPLERS = ['penalties', 'top_k', 'typ_p', 'top_p', 'min_p', 'temperature'];

/** A request in the words of llama.cpp's server. `preserved`: special tokens that are printed like text. */
export function completionBody(
  request: GenerateRequest,
  prompt: string,
  contextLength: number,
  preserved: string[],
): Record<string, unknown> {
  const { sampling } = request;
  return {
    prompt: wellFormed(prompt),
    stream: true,
    cache_prompt: true,
    return_progress: true,
    // Token ids and the running count come only in the verbose part of a chunk.
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
    preserved_tokens: preserved,
    ...(request.grammar === undefined ? {} : { grammar: request.grammar }),
    ...(request.topLogprobs === undefined ? {} : { n_probs: Math.max(1, request.topLogprobs) }),
  };
}

/** Half a surrogate pair cannot be written as UTF-8: llama.cpp's JSON reader would refuse the whole request. */
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

export interface Chunk {
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

/** Turns the chunks of one completion into events of the seam. */
export class ChunkReader {
  promptTokens = 0;
  cachedTokens = 0;
  /** Tokens sampled so far. */
  generated = 0;
  ended = false;
  readonly #started: number;
  #firstToken = 0;

  constructor(
    private readonly request: GenerateRequest,
    private readonly endOfGeneration: Set<number>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#started = this.now();
  }

  read(chunk: Chunk): EngineEvent[] {
    const progress = chunk.prompt_progress;
    if (progress) {
      this.promptTokens = progress.total;
      this.cachedTokens = progress.cache;
      return [{ type: 'progress', processed: progress.processed, total: progress.total }];
    }
    const choice = chunk.choices?.[0];
    if (!choice) return [];
    const events: EngineEvent[] = [];
    const counted = chunk.__verbose?.tokens_predicted ?? this.generated + 1;
    const id = chunk.__verbose?.tokens?.[0];
    if (this.#firstToken === 0) this.#firstToken = this.now();
    if (choice.finish_reason === null) {
      // A character spread over several tokens comes in one chunk, with the last token's id.
      while (this.generated < counted - 1) this.#push(events, '');
      this.generated = counted;
      if (id !== undefined && choice.text === '' && this.endOfGeneration.has(id)) return events;
      events.push(this.#token(choice.text, id, choice.logprobs?.content?.[0]));
      return events;
    }
    const predicted = chunk.timings?.predicted_n ?? this.generated;
    while (this.generated < predicted) this.#push(events, '');
    this.ended = true;
    events.push({
      type: 'end',
      reason: choice.finish_reason === 'length' ? 'length' : 'stop',
      counts: this.#counts(chunk.timings),
    });
    return events;
  }

  /** The end of a generation that was stopped from here because the context is full. */
  full(): EngineEvent {
    this.ended = true;
    return { type: 'end', reason: 'length', counts: this.#counts() };
  }

  #push(events: EngineEvent[], text: string): void {
    this.generated++;
    events.push({ type: 'token', text });
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
              ...logprob(probability),
              top: (probability.top_logprobs ?? []).slice(0, top).map(logprob),
            },
          }
        : {}),
    };
  }

  #counts(timings?: Chunk['timings']): EngineCounts {
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
      generatedTokens: this.generated,
      promptDuration: Math.round((first - this.#started) * 1e6),
      generateDuration: Math.round((this.now() - first) * 1e6),
    };
  }
}

function logprob({ token, bytes, logprob }: Probability): TokenLogprob {
  return { token, bytes, logprob };
}
