/**
 * The one internal language of document 1. Native routes and every dialect parse into these requests and print these
 * events; nothing else knows how a model is run.
 */
import type { Device, TokenLogprob } from '#core/host';

export interface ToolCall {
  id?: string;
  name: string;
  /** The parsed JSON object. */
  arguments: Record<string, unknown>;
}

export interface Message {
  /** Lower-cased; any string is accepted and rendered. */
  role: string;
  content: string;
  thinking?: string;
  /** Decoded image files. */
  images?: Uint8Array[];
  toolCalls?: ToolCall[];
  toolName?: string;
  toolCallId?: string;
}

/** A tool as the client sent it, unchanged: templates print it. */
export type Tool = Record<string, unknown>;

/** Options by their wire names (ollama.md section 12), already of the right type; absent = the model's or the default. */
export interface ModelOptions {
  num_ctx?: number;
  num_batch?: number;
  num_gpu?: number;
  main_gpu?: number;
  use_mmap?: boolean;
  num_thread?: number;
  num_keep?: number;
  seed?: number;
  num_predict?: number;
  top_k?: number;
  top_p?: number;
  min_p?: number;
  typical_p?: number;
  repeat_last_n?: number;
  temperature?: number;
  repeat_penalty?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  stop?: string[];
}

export type ThinkLevel = 'low' | 'medium' | 'high' | 'max';

interface RunRequest {
  /** As the client spelled it. */
  model: string;
  options: ModelOptions;
  /** `"json"` or a JSON schema object. */
  format?: 'json' | Record<string, unknown>;
  /** Milliseconds; Infinity = never unload; 0 = unload after this request; undefined = keep what the loaded model has, else the default. */
  keepAlive?: number;
  think?: boolean | ThinkLevel;
  truncate: boolean;
  shift: boolean;
  logprobs: boolean;
  topLogprobs: number;
  debugRenderOnly: boolean;
}

export interface ChatRequest extends RunRequest {
  messages: Message[];
  tools: Tool[];
}

export interface GenerateTextRequest extends RunRequest {
  prompt: string;
  suffix?: string;
  system?: string;
  template?: string;
  context?: number[];
  raw: boolean;
  images?: Uint8Array[];
}

export interface EmbedRequest {
  /** As the client spelled it. */
  model: string;
  /** None: only loads the model. */
  texts: string[];
  /** Longer than the context: true cuts, false refuses with 400. */
  truncate: boolean;
  /** Vectors are cut to this length and normalised again; 0, negative or more than the model has: left whole. */
  dimensions: number;
  options: ModelOptions;
  /** As in a run. */
  keepAlive?: number;
}

export interface EmbedResult {
  /** One for each text, L2-normalised. */
  vectors: Float32Array[];
  promptTokens: number;
  /** Nanoseconds. */
  totalDuration: number;
  loadDuration: number;
}

/** All durations in nanoseconds. */
export interface RunStatistics {
  totalDuration: number;
  loadDuration: number;
  promptEvalCount: number;
  promptEvalDuration: number;
  evalCount: number;
  evalDuration: number;
}

export interface Logprob extends TokenLogprob {
  top: TokenLogprob[];
}

export type RunEvent =
  | { type: 'text'; content: string; thinking: string; logprobs?: Logprob[] }
  /** `withEnd`: models that render their own chat template tell their calls in the last line of a stream. */
  | { type: 'tool-calls'; calls: ToolCall[]; withEnd?: true }
  /** `context`: tokens of prompt + answer, for generate without raw. */
  | { type: 'done'; reason: 'stop' | 'length'; statistics: RunStatistics; context?: number[] };

/**
 * A run that may begin: the model is known, valid and queued for. `events` loads the model where needed and generates;
 * ending the iteration early (return) or aborting stops the work.
 */
export type Run =
  | {
      kind: 'events' /** settles when the model is loaded and the prompt accepted: from here on only `events` can fail */;
      ready: Promise<void>;
      events: AsyncIterable<RunEvent>;
    }
  | { kind: 'loaded' }
  | { kind: 'unloaded' }
  | { kind: 'rendered'; text: string };

/** A loaded model, as `/api/ps` lists it. */
export interface LoadedModel {
  name: string;
  digest: string;
  /** Bytes of memory. */
  size: number;
  sizeGpu: number;
  contextLength: number;
  /** Milliseconds since 1970; Infinity = never. */
  expiresAt: number;
  device: Device;
  engine: string;
}

/** What document 1 can do with text, behind all its dialects. Errors are `ApiError`s with the native text and status. */
export interface TextService {
  chat(request: ChatRequest, signal: AbortSignal): Promise<Run>;
  generate(request: GenerateTextRequest, signal: AbortSignal): Promise<Run>;
  /**
   * Vectors of texts. Throws ApiError: 404 for a model that is not there, 501 for one that does not pool, 400 for a text
   * that is too long (`truncate` false) or empty. `begun` is called when the model is loaded and its work begins.
   */
  embed(request: EmbedRequest, signal: AbortSignal, begun?: () => void): Promise<EmbedResult>;
  loaded(): LoadedModel[];
  /** How many requests wait for their turn, or for their model to load. */
  waiting(): number;
  /**
   * Loads again what requests before a restart, or in a tab that led before, asked to keep forever. Called once by
   * whatever serves; settles when all are loaded or have failed (logged).
   */
  resume(signal: AbortSignal): Promise<void>;
  /** Ends all engines. */
  close(): Promise<void>;
}
