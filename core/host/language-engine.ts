/**
 * The seam to whatever runs a language model. An engine lives in a worker (browser) or child process (Node) of its
 * own; prompts arrive as rendered text and leave as token text, so that every engine behaves alike. Rendering, tool
 * and thinking parsing, stop strings and truncation of messages are the core's business, not the engine's.
 */
import type { Digest } from './blobs.ts';

export type ModelFormat = 'gguf';

export interface ModelFile {
  role: 'weights' | 'projector' | 'adapter';
  digest: Digest;
  size: number;
}

/** Load-time settings: a change of any of them loads the model again. */
export interface LoadOptions {
  /** Context window in tokens; already capped at what the model was trained for. */
  contextLength: number;
  batchSize: number;
  /** Layers on the GPU: -1 as many as fit, 0 none. */
  gpuLayers: number;
  /** 0 = the engine chooses. */
  threads: number;
  useMmap?: boolean;
}

export interface Device {
  kind: 'gpu' | 'cpu';
  /** What a person reads: adapter or processor name, e.g. `WebGPU (nvidia, ada)`, `CPU, 2 threads`. */
  name: string;
  /** Why this device and not a better one (no adapter, no f16, wrong known answer, lost device …). */
  note?: string;
}

export interface Sampling {
  seed: number;
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  typicalP: number;
  repeatLastN: number;
  repeatPenalty: number;
  presencePenalty: number;
  frequencyPenalty: number;
}

export interface GenerateRequest {
  /** Rendered text (special tokens are recognised in it), or token ids. BOS is added when the model wants one and the text lacks it. */
  prompt: string | number[];
  /** A GBNF grammar that the sampler must follow. */
  grammar?: string;
  sampling: Sampling;
  /** At most this many tokens. */
  maxTokens: number;
  /** Tokens at the beginning kept when the context is shifted. */
  keep: number;
  /** When the context is full: true drops the oldest half behind `keep` and goes on, false ends with reason `length`. */
  shift: boolean;
  /** Number of alternatives reported with each token: undefined none at all, 0 only the token itself. */
  topLogprobs?: number;
  /**
   * Identifies a conversation's cache slot, if the engine has several. The engine always reuses the longest common
   * token prefix it still holds; a cache may make an answer faster, never different.
   */
  cacheHint?: string;
}

export interface TokenLogprob {
  token: string;
  bytes: number[];
  /** Natural logarithm. */
  logprob: number;
}

export type EngineEvent =
  /**
   * Prompt evaluation advanced (tokens, cached ones included). Sent at least once, as soon as the prompt is accepted:
   * the core takes the prompt's length from it when it stops the answer itself.
   */
  | { type: 'progress'; processed: number; total: number }
  /** One token; `text` may be empty while a multi-byte character is incomplete. `id` is the vocabulary index, when known. */
  | { type: 'token'; text: string; id?: number; logprob?: TokenLogprob & { top: TokenLogprob[] } }
  | { type: 'end'; reason: 'stop' | 'length'; counts: EngineCounts };

export interface EngineCounts {
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number;
  /** Of these, taken from the cache. */
  cachedTokens: number;
  /** Generated, the end-of-sequence token included. */
  generatedTokens: number;
  /** Nanoseconds. */
  promptDuration: number;
  generateDuration: number;
}

export interface LanguageModel {
  readonly device: Device;
  readonly contextLength: number;
  /** Bytes in use (weights + cache + buffers), and how many of them on the GPU. */
  readonly memory: { total: number; gpu: number };
  /**
   * One generation at a time: the scheduler queues. Aborting `signal` stops within a token; the iterable then throws
   * the signal's reason. Throws `EngineCrashed` when the worker or process died, `ContextExceeded` when the prompt
   * alone does not fit.
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<EngineEvent>;
  tokenize(text: string, signal?: AbortSignal): Promise<number[]>;
  detokenize(tokens: number[], signal?: AbortSignal): Promise<string>;
  /** Settles, with the cause, when the model can no longer be used (crash, lost device); never rejects. */
  readonly gone: Promise<Error>;
  /** Ends the worker or process. */
  dispose(): Promise<void>;
}

export interface LanguageEngine {
  /** `wllama`, `node-llama-cpp`, … shown in `/api/ps` and logs. */
  readonly name: string;
  readonly formats: ModelFormat[];
  /**
   * Loads and checks the model with a known answer on the chosen device; falls back to the CPU with a note.
   * Throws `ModelUnsupported`, `ModelCorrupt`, `OutOfMemory`, or the signal's reason.
   */
  load(
    files: ModelFile[],
    options: LoadOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<LanguageModel>;
}

export class EngineError extends Error {
  override name = 'EngineError';
}
/** The worker or process of the engine died. */
export class EngineCrashed extends EngineError {
  override name = 'EngineCrashed';
}
/** The engine lacks this architecture or format. */
export class ModelUnsupported extends EngineError {
  override name = 'ModelUnsupported';
}
/** Truncated, damaged, or not a model file at all. */
export class ModelCorrupt extends EngineError {
  override name = 'ModelCorrupt';
}
export class OutOfMemory extends EngineError {
  override name = 'OutOfMemory';
}
export class ContextExceeded extends EngineError {
  override name = 'ContextExceeded';
  constructor(
    readonly promptTokens: number,
    readonly contextLength: number,
  ) {
    super(
      `request (${promptTokens} tokens) exceeds the available context size (${contextLength} tokens), try increasing it`,
    );
  }
}
