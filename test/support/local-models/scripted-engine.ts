/**
 * A language engine for tests of protocols. Its answer is a function of the prompt. It can be slow, fail to load, or
 * crash on request. Counts, cache and aborts follow the interface's documentation.
 */
import {
  ContextExceeded,
  type Device,
  type Embeddings,
  type EmbedOptions,
  EngineCrashed,
  type EngineEvent,
  type GenerateRequest,
  type LanguageEngine,
  type LanguageModel,
  type LoadOptions,
  type ModelFile,
} from '#core/host';
import { normalize } from '#core/local-models/embedding/vector.ts';
import { abortable } from '../host/memory-blobs.ts';
import { ScriptedTokenizer } from './scripted-tokenizer.ts';

export const SCRIPTED_DIMENSIONS = 64;

/** The text of an answer, as tokens. The engine's tokenizer splits a string. */
export type EngineScript = (
  prompt: string,
  request: GenerateRequest,
) => string | string[] | AsyncIterable<string>;

export interface ScriptedOptions {
  name?: string;
  /** Default: answers `Hello there, friend.` to every prompt. */
  script?: EngineScript;
  /** Milliseconds before each token. */
  tokenDelay?: number;
  /** Milliseconds that a load takes, reported in ten steps of progress. */
  loadDelay?: number;
  /** Milliseconds before each text that is embedded. */
  embedDelay?: number;
  /** Thrown by `load` when it returns an error. */
  loadFailure?: (files: ModelFile[], options: LoadOptions) => Error | undefined;
  device?: Device;
  memory?: { total: number; gpu: number };
  /** The generations that a model runs concurrently. Default: 1. */
  parallel?: number;
  /** Accepts images. Each counts as this many tokens of the prompt. */
  imageTokens?: number;
}

export interface GenerateCall {
  model: ScriptedModel;
  request: GenerateRequest;
  /** The prompt as text, even if it arrived as tokens. */
  prompt: string;
  /** The number of tokens sent so far. */
  sent: number;
  outcome: 'running' | 'ended' | 'aborted' | 'crashed' | 'returned';
}

export class ScriptedEngine implements LanguageEngine {
  readonly name: string;
  readonly formats: LanguageEngine['formats'] = ['gguf'];
  readonly media: boolean;
  readonly tokenizer = new ScriptedTokenizer();
  /** Every requested load, in order. */
  readonly loads: { files: ModelFile[]; options: LoadOptions; outcome: 'loading' | 'loaded' | 'failed' }[] =
    [];
  readonly models: ScriptedModel[] = [];
  readonly calls: GenerateCall[] = [];

  constructor(readonly options: ScriptedOptions = {}) {
    this.name = options.name ?? 'scripted';
    this.media = options.imageTokens !== undefined;
  }

  async load(
    files: ModelFile[],
    options: LoadOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<ScriptedModel> {
    const load: ScriptedEngine['loads'][number] = { files, options, outcome: 'loading' };
    this.loads.push(load);
    try {
      const steps = this.options.loadDelay ? 10 : 1;
      for (let step = 1; step <= steps; step++) {
        if (this.options.loadDelay) await sleep(this.options.loadDelay / steps, signal);
        signal.throwIfAborted();
        onProgress(step / steps);
      }
      const failure = this.options.loadFailure?.(files, options);
      if (failure) throw failure;
    } catch (error) {
      load.outcome = 'failed';
      throw error;
    }
    load.outcome = 'loaded';
    const model = new ScriptedModel(this, files, options);
    this.models.push(model);
    return model;
  }

  /** Loaded models that are neither disposed nor crashed. */
  get alive(): ScriptedModel[] {
    return this.models.filter((model) => !model.disposed && !model.crashed);
  }
}

export class ScriptedModel implements LanguageModel {
  readonly device: Device;
  readonly contextLength: number;
  readonly memory: { total: number; gpu: number };
  readonly gone: Promise<Error>;
  crashed: Error | undefined;
  disposed = false;
  /** Texts that were embedded, in order. */
  readonly embedded: string[] = [];
  readonly embed?: LanguageModel['embed'];
  readonly #crash = new AbortController();
  #reportGone: (error: Error) => void = () => {};
  readonly parallel: number;
  #cached: number[] = [];
  #running = 0;

  constructor(
    readonly engine: ScriptedEngine,
    readonly files: ModelFile[],
    readonly options: LoadOptions,
  ) {
    this.device = engine.options.device ?? { kind: 'cpu', name: 'CPU, 1 thread' };
    this.memory = engine.options.memory ?? { total: 200e6, gpu: 0 };
    this.contextLength = options.contextLength;
    this.parallel = engine.options.parallel ?? 1;
    if (options.embedding) this.embed = (texts, how, signal) => this.#vectors(texts, how, signal);
    this.gone = new Promise((resolve) => {
      this.#reportGone = resolve;
    });
  }

  /** Crashes now, as when the worker or process dies. */
  crash(message = 'the engine process ended unexpectedly'): void {
    if (this.crashed) return;
    this.crashed = new EngineCrashed(message);
    this.#crash.abort(this.crashed);
    this.#reportGone(this.crashed);
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    this.#mustLive();
    if (this.#running >= this.parallel) throw new Error(`more than ${this.parallel} generations at a time`);
    const { tokenizer } = this.engine;
    const ids = typeof request.prompt === 'string' ? tokenizer.encode(request.prompt) : request.prompt;
    const length = ids.length + (request.media?.length ?? 0) * (this.engine.options.imageTokens ?? 0);
    if (length >= this.contextLength) throw new ContextExceeded(length, this.contextLength);
    const call: GenerateCall = {
      model: this,
      request,
      prompt: typeof request.prompt === 'string' ? request.prompt : tokenizer.decode(ids),
      sent: 0,
      outcome: 'running',
    };
    this.engine.calls.push(call);
    this.#running++;
    const either = AbortSignal.any([signal, this.#crash.signal]);
    try {
      yield* this.#run(call, ids, either);
      call.outcome = 'ended';
    } catch (error) {
      call.outcome = this.crashed ? 'crashed' : either.aborted ? 'aborted' : 'ended';
      throw error;
    } finally {
      if (call.outcome === 'running') call.outcome = 'returned';
      this.#running--;
    }
  }

  async *#run(call: GenerateCall, ids: number[], signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const { request } = call;
    const { tokenizer, options } = this.engine;
    let cached = 0;
    while (cached < ids.length - 1 && cached < this.#cached.length && ids[cached] === this.#cached[cached])
      cached++;
    this.#cached = [...ids];
    const total = ids.length + (request.media?.length ?? 0) * (options.imageTokens ?? 0);
    let place = total;
    signal.throwIfAborted();
    yield { type: 'progress', processed: total, total };
    const answer = (options.script ?? (() => 'Hello there, friend.'))(call.prompt, request);
    let reason: 'stop' | 'length' = 'stop';
    for await (const text of typeof answer === 'string' ? tokenizer.split(answer) : answer) {
      if (call.sent >= request.maxTokens || (!request.shift && place >= this.contextLength)) {
        reason = 'length';
        break;
      }
      if (options.tokenDelay) await sleep(options.tokenDelay, signal);
      signal.throwIfAborted();
      const id = tokenizer.id(text);
      this.#cached.push(id);
      place++;
      call.sent++;
      yield {
        type: 'token',
        text,
        id,
        ...(request.topLogprobs !== undefined && logprobs(text, request.topLogprobs)),
      };
      signal.throwIfAborted();
    }
    // The end-of-sequence token counts and takes room like any other.
    if (reason === 'stop' && call.sent >= request.maxTokens) reason = 'length';
    const generatedTokens = call.sent + (reason === 'stop' ? 1 : 0);
    yield {
      type: 'end',
      reason,
      counts: {
        promptTokens: total,
        cachedTokens: cached,
        generatedTokens,
        promptDuration: (ids.length - cached) * 1_000_000,
        generateDuration: generatedTokens * 10_000_000,
      },
    };
  }

  /** A vector of a text's words: equal for equal texts, similar for texts that share words. */
  async #vectors(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    this.#mustLive();
    if (this.#running > 0) throw new Error('the interface allows one embedding at a time');
    const all = texts.map((text) => this.engine.tokenizer.encode(text));
    const longest = Math.max(...all.map((ids) => ids.length));
    if (!options.truncate && longest > options.maxTokens)
      throw new ContextExceeded(longest, options.maxTokens);
    const truncated = all.map((ids) => ids.slice(0, options.maxTokens));
    const either = AbortSignal.any([signal, this.#crash.signal]);
    this.#running++;
    try {
      const vectors: Float32Array[] = [];
      for (const [i, ids] of truncated.entries()) {
        if (this.engine.options.embedDelay) await sleep(this.engine.options.embedDelay, either);
        either.throwIfAborted();
        this.embedded.push(texts[i]!);
        const vector = new Float32Array(SCRIPTED_DIMENSIONS);
        for (const id of ids) vector[id % SCRIPTED_DIMENSIONS]! += 1;
        vectors.push(normalize(vector));
      }
      return { vectors, tokens: truncated.map((ids) => ids.length) };
    } finally {
      this.#running--;
    }
  }

  async tokenize(text: string): Promise<number[]> {
    this.#mustLive();
    return this.engine.tokenizer.encode(text);
  }

  async detokenize(tokens: number[]): Promise<string> {
    this.#mustLive();
    return this.engine.tokenizer.decode(tokens);
  }

  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    const error = new EngineCrashed('the model was unloaded');
    this.#crash.abort(error);
    this.#reportGone(error);
  }

  #mustLive(): void {
    if (this.crashed) throw this.crashed;
    if (this.disposed) throw new EngineCrashed('the model was unloaded');
  }
}

function logprobs(text: string, alternatives: number) {
  const entry = (token: string, logprob: number) => ({
    token,
    bytes: [...new TextEncoder().encode(token)],
    logprob,
  });
  const top = Array.from({ length: alternatives }, (_, rank) =>
    rank === 0 ? entry(text, -0.25) : entry(` other${rank}`, -2 - rank),
  );
  return { logprob: { ...entry(text, -0.25), top } };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return abortable(slept, signal).finally(() => clearTimeout(timer));
}
