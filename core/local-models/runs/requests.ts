/** The requests that native routes and every dialect are translated into. */
import type { Message, ThinkLevel, Tool } from '../base/messages.ts';
import type { ModelOptions } from '../base/model-options.ts';

/** The form of an answer: any JSON, or JSON that follows a schema. */
export type AnswerFormat = 'json' | Record<string, unknown>;

/** Fields of chats and completions alike. */
export interface RunRequest {
  /** The model's name, exactly as in the request. */
  model: string;
  options: ModelOptions;
  format?: AnswerFormat;
  /** Milliseconds. Infinity: never unload. 0: unload after this request. Absent: the loaded model's, else the default. */
  keepAlive?: number;
  /** Absent: models that can think do. */
  think?: boolean | ThinkLevel;
  /** A prompt that does not fit the context: true drops its oldest messages, false refuses it. */
  truncate: boolean;
  /** An answer that fills the context: true drops the oldest tokens, false ends the answer. */
  shift: boolean;
  logprobs: boolean;
  /** 0 to 20 alternatives for each token. */
  topLogprobs: number;
  /** Returns the rendered prompt instead of an answer. */
  debugRenderOnly: boolean;
}

export interface ChatRequest extends RunRequest {
  /** Empty: the request only loads or unloads the model. */
  messages: Message[];
  tools: Tool[];
  /** Continues the last message, if it is the assistant's, whatever the template does with it. */
  continuesLast?: boolean;
}

export interface GenerateTextRequest extends RunRequest {
  /** Empty: the request only loads or unloads the model. */
  prompt: string;
  /** Text after the gap that the answer fills. */
  suffix?: string;
  system?: string;
  /** Replaces the model's template. */
  template?: string;
  /** Tokens of earlier prompts and answers, which precede the prompt. */
  context?: number[];
  /** Passes the prompt to the model without a template. */
  raw: boolean;
  images?: Uint8Array[];
}

export interface EmbedRequest {
  /** The model's name, exactly as in the request. */
  model: string;
  /** Empty: the request only loads the model. */
  texts: string[];
  /** A text longer than the context: true cuts it, false refuses it with 400. */
  truncate: boolean;
  /** Vectors are cut to this length and normalized again. 0, negative or more than the model has: not cut. */
  dimensions: number;
  options: ModelOptions;
  /** The keep-alive, with the same meaning as in a run. */
  keepAlive?: number;
}

export interface EmbedResult {
  /** One for each text, of length 1 (L2). */
  vectors: Float32Array[];
  promptTokens: number;
  /** Nanoseconds. */
  totalDuration: number;
  loadDuration: number;
}
