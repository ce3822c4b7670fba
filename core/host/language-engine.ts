/**
 * The interface to an engine that runs language models. Every model has a worker (browser) or child process (Node) of its
 * own. Prompts arrive as rendered text and leave as the text of tokens, so that all engines behave alike. The core renders
 * chat templates, parses tool calls and thinking, and handles stop strings and the truncation of messages.
 */
import type { Digest } from './blobs.ts';
import type { HearEvent, HearRequest } from './hearing.ts';
import type { SpeakRequest, SpokenPart } from './speaking.ts';

/**
 * The format of a model's weights. `diffusers`: a folder of ONNX graphs. `safetensors`: a single file for image
 * workflows, which build the graphs for it.
 */
export type ModelFormat = 'gguf' | 'onnx' | 'mlc' | 'diffusers' | 'safetensors';

/** A file of a model, stored as a blob. */
export interface ModelFile {
  /**
   * `weights`: the model, or its first file. `part`: further weights (external data, shards). `library`: compiled code.
   * `tokenizer`, `config`: further files of a repository.
   */
  role: 'weights' | 'projector' | 'adapter' | 'tokenizer' | 'config' | 'library' | 'part';
  digest: Digest;
  /** Bytes. */
  size: number;
  /** The path inside the repository, for engines that open files by name: `onnx/model.onnx`. */
  name?: string;
}

/** Settings of a loaded model. A change of any of them loads the model again. */
export interface LoadOptions {
  /** The context window in tokens, at most what the model was trained for. */
  contextLength: number;
  /** Prompt tokens that are evaluated together. */
  batchSize: number;
  /** Layers on the GPU: -1 as many as fit, 0 none. */
  gpuLayers: number;
  /** Threads on the CPU. 0: the engine chooses. */
  threads: number;
  /** Whether to map the file into memory instead of reading it. */
  useMmap?: boolean;
  /**
   * Generations at once, each with `contextLength` tokens of its own. 0: the engine chooses by its free memory.
   * Undefined: 1. An engine may allow fewer, see `LanguageModel.parallel`.
   */
  parallel?: number;
  /** Whether attention is computed by flash attention. Undefined: the engine chooses. */
  flashAttention?: boolean;
  /** The type of numbers in the KV cache. Undefined, or unsupported by the engine: `f16`. */
  cacheType?: 'f16' | 'q8_0' | 'q4_0';
  /**
   * No other answer and no cached token changes an answer, to the last bit. That costs speed. Otherwise a batch or a
   * cache may change the last bits of probabilities, which can select another token where two are about equal.
   */
  bitExact?: boolean;
  /** Loads the model for `embed` instead of `generate`. The model's file says how token vectors are pooled. */
  embedding?: boolean;
}

/**
 * The hardware that a model runs on.
 *
 * @example
 * ```ts
 * import type { Device } from 'tabd';
 *
 * const text = ({ name, note }: Device) => (note === undefined ? name : `${name} (${note})`);
 * console.log(text({ kind: 'cpu', name: 'CPU, 2 threads', note: 'no adapter' })); // CPU, 2 threads (no adapter)
 * ```
 */
export interface Device {
  kind: 'gpu' | 'cpu';
  /** The device's name for users: its adapter or processor, e.g. `WebGPU (nvidia, ada)`, `CPU, 2 threads`. */
  name: string;
  /** Why a better device was not used: no adapter, no f16, a wrong known answer, a lost device. */
  note?: string;
}

/** Parameters of the sampler, with llama.cpp's meaning. */
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
 * The place of an image in a prompt, one for each of `GenerateRequest.media`, in order. Its characters are of the private
 * use area. The core removes them from texts of clients.
 */
export const MEDIA_MARKER = '\u{E000}media\u{E001}';

/** A prompt, and how an engine is to continue it. */
export interface GenerateRequest {
  /**
   * Rendered text, in which special tokens are recognized, or token ids. The engine adds the BOS token when the model
   * wants one and the text does not begin with it.
   */
  prompt: string | number[];
  /** Image files, for engines with `LanguageEngine.media`. The prompt holds as many `MEDIA_MARKER`s. */
  media?: Uint8Array[];
  /** A GBNF grammar that restricts the tokens. */
  grammar?: string;
  sampling: Sampling;
  /** The largest number of tokens to generate. */
  maxTokens: number;
  /** Tokens at the beginning of the prompt that a context shift keeps. */
  keep: number;
  /**
   * When the context is full: true drops the oldest half of the tokens after `keep` and continues, false ends with
   * reason `length`.
   */
  shift: boolean;
  /** Alternatives that are reported with each token. 0: the token itself alone. Undefined: no probabilities. */
  topLogprobs?: number;
}

/** A token with its probability. */
export interface TokenLogprob {
  /** The token's text. An incomplete multi-byte character is U+FFFD. */
  token: string;
  /** The token's UTF-8 bytes. */
  bytes: number[];
  /** Natural logarithm of its probability. */
  logprob: number;
}

/** An event of a generation, in the order in which it happened. */
export type EngineEvent =
  /**
   * The prompt was evaluated up to `processed` of `total` tokens, cached ones included. Sent at least once, as soon as the
   * prompt is accepted: the core takes the prompt's length from it when it stops the generation itself.
   */
  | { type: 'progress'; processed: number; total: number }
  /** One token. `text` is empty while a multi-byte character is incomplete. `id`: its index in the vocabulary, if known. */
  | { type: 'token'; text: string; id?: number; logprob?: TokenLogprob & { top: TokenLogprob[] } }
  /** The last event. */
  | { type: 'end'; reason: 'stop' | 'length'; counts: EngineCounts };

/** The counts of a generation, for its statistics. */
export interface EngineCounts {
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number;
  /** Those of them that came from the cache. */
  cachedTokens: number;
  /** Generated tokens, the end-of-sequence token included. */
  generatedTokens: number;
  /** Nanoseconds that the evaluation of the prompt took. */
  promptDuration: number;
  /** Nanoseconds that the generation took. */
  generateDuration: number;
}

/** How texts are prepared for an embedding. */
export interface EmbedOptions {
  /** Tokens of a text that count, special tokens included; at most the model's own window. */
  maxTokens: number;
  /**
   * Handles longer texts: true cuts the end off and keeps the special tokens, false rejects with `ContextExceeded`
   * before anything is computed.
   */
  truncate: boolean;
}

/** The embeddings of several texts. */
export interface Embeddings {
  /** One vector for each text, in order, of the model's full length and L2-normalized. */
  vectors: Float32Array[];
  /** The number of tokens that were evaluated for each text: special tokens included, padding excluded. */
  tokens: number[];
}

/** A loaded model. The caller disposes it. */
export interface LanguageModel {
  readonly device: Device;
  /** The context window in tokens of each generation. */
  readonly contextLength: number;
  /** Bytes in use (weights, cache, buffers), and how many of them on the GPU. */
  readonly memory: { total: number; gpu: number };
  /** How many generations may run at once. Undefined: 1. The scheduler never starts more. */
  readonly parallel?: number;
  /**
   * Generates tokens. The result depends on the request alone, whatever else runs at the same time. An aborted `signal`
   * stops it within one token; the iterable then throws the signal's reason.
   * @throws EngineCrashed when the worker or process died
   * @throws ContextExceeded when the prompt alone does not fit
   * @throws RequestRefused for an image or a grammar that cannot be used
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /**
   * The vectors of any number of texts, in batches of the engine's choice. Present where the model was loaded with
   * `embedding`. A vector depends on its own text alone. An aborted `signal` stops before the next batch.
   * Rejects with the signal's reason, or as `generate` throws.
   */
  embed?(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings>;
  /**
   * Writes speech down. Present where the model hears. An aborted `signal` stops it within one token.
   * The iterable throws the signal's reason, `RequestRefused` for a language that the model does not know, or as
   * `generate` throws.
   */
  hear?(request: HearRequest, signal: AbortSignal): AsyncIterable<HearEvent>;
  /**
   * Says a text aloud, one sentence after the other. Present where the model speaks. An aborted `signal` stops it within
   * one sentence. The iterable throws the signal's reason, or as `generate` throws. It throws `RequestRefused` for a voice
   * that the model lacks, and for a text without a word that it can say.
   */
  speak?(request: SpeakRequest, signal: AbortSignal): AsyncIterable<SpokenPart>;
  /** Token ids of a text, without BOS. Rejects with `EngineCrashed` or the signal's reason. */
  tokenize(text: string, signal?: AbortSignal): Promise<number[]>;
  /** The text of token ids. Rejects as `tokenize` does. */
  detokenize(tokens: number[], signal?: AbortSignal): Promise<string>;
  /** Resolves with the cause when the model cannot be used any more (crash, lost device). Never rejects. */
  readonly gone: Promise<Error>;
  /** Ends the worker or process. Running generations throw `EngineCrashed`. */
  dispose(): Promise<void>;
}

/** Loads language models. Each loaded model has a worker or process of its own. */
export interface LanguageEngine {
  /** `wllama`, `node-llama-cpp`, …: shown in `/api/ps` and in logs. */
  readonly name: string;
  readonly formats: ModelFormat[];
  /** Whether the engine accepts images for models with a projector. */
  readonly media?: boolean;
  /** Whether the engine runs a model of these files. Undefined: every model of its formats. */
  accepts?(files: readonly ModelFile[]): boolean;
  /**
   * Loads a model and checks it with a known answer on the chosen device. Falls back to the CPU, which `Device.note` explains.
   * Rejects with `ModelUnsupported`, `ModelCorrupt`, `OutOfMemory`, or the signal's reason.
   * @param onProgress how much has been read, 0 to 1
   */
  load(
    files: ModelFile[],
    options: LoadOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<LanguageModel>;
}
