/** The requests that native routes and every dialect are translated into. */
import type { Message, ThinkLevel, Tool } from '../base/messages.ts';
import type { ModelOptions } from '../base/model-options.ts';

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
