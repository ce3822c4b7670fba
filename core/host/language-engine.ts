/**
 * The seam to whatever runs a language model. An engine lives in a worker (browser) or child process (Node) of its
 * own; prompts arrive as rendered text and leave as token text, so that every engine behaves alike. Rendering, tool
 * and thinking parsing, stop strings and truncation of messages are the core's business, not the engine's.
 */
import type { Digest } from './blobs.ts';

export type ModelFormat = 'gguf' | 'onnx' | 'mlc' | 'diffusers';

export interface ModelFile {
  /**
   * `weights`: the model, or its first file. `part`: further weights (external data, shards). `library`: compiled code.
   * `tokenizer`, `config`: what a repository of several files keeps beside them.
   */
  role: 'weights' | 'projector' | 'adapter' | 'tokenizer' | 'config' | 'library' | 'part';
  digest: Digest;
  size: number;
  /** Path inside the repository, where the engine has to know files by name: `onnx/model.onnx`. */
  name?: string;
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
  /**
   * Answers that may be given at once, each with `contextLength` tokens of its own: 0 = the engine chooses by the memory
   * there is, absent = 1. An engine may give fewer, see `LanguageModel.parallel`.
   */
  parallel?: number;
  /** How attention is computed: absent = the engine chooses. */
  flashAttention?: boolean;
  /** Numbers of the context's cache, `f16` where absent; an engine without that type keeps `f16`. */
  cacheType?: 'f16' | 'q8_0' | 'q4_0';
  /** To be used for `embed` instead of `generate`: the model's file says how token vectors are pooled. */
  embedding?: boolean;
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

/**
 * Stands in a prompt where a medium goes, once for each in `GenerateRequest.media`, in order. The characters are of the
 * private use area; the core takes them out of what people write.
 */
export const MEDIA_MARKER = '\u{E000}media\u{E001}';

export interface GenerateRequest {
  /** Rendered text (special tokens are recognised in it), or token ids. BOS is added when the model wants one and the text lacks it. */
  prompt: string | number[];
  /** Image files, for engines that take them: the text of the prompt holds as many `MEDIA_MARKER`s. */
  media?: Uint8Array[];
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

export interface EmbedOptions {
  /** Tokens of a text that count, special tokens included; never more than the model's own window. */
  maxTokens: number;
  /**
   * A longer text: true cuts it at its end and keeps the special tokens around it, false throws `ContextExceeded`
   * before anything is computed.
   */
  truncate: boolean;
}

export interface Embeddings {
  /** One for each text, in order, of the model's full length, L2-normalised. */
  vectors: Float32Array[];
  /** Tokens that were evaluated, special ones included, padding not: of each text. */
  tokens: number[];
}

export interface LanguageModel {
  readonly device: Device;
  readonly contextLength: number;
  /** Bytes in use (weights + cache + buffers), and how many of them on the GPU. */
  readonly memory: { total: number; gpu: number };
  /** Generations that may run at once, absent = 1: the scheduler never asks for more. */
  readonly parallel?: number;
  /**
   * What is said depends on the request alone, never on what runs beside it. Aborting `signal` stops within a token; the
   * iterable then throws the signal's reason. Throws `EngineCrashed` when the worker or process died, `ContextExceeded`
   * when the prompt alone does not fit.
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /**
   * Vectors of any number of texts, batched as suits the engine; there only where the model was loaded for `embedding`.
   * Scheduled as `generate` is. A vector depends on its own text alone. Aborting `signal` stops before the next batch;
   * the promise then rejects with the signal's reason, otherwise as `generate` throws.
   */
  embed?(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings>;
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
  /** Takes images where the model has a projector. */
  readonly media?: boolean;
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
/** The request is at fault: an image that cannot be read, a grammar that the engine does not take. */
export class RequestRefused extends EngineError {
  override name = 'RequestRefused';
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
