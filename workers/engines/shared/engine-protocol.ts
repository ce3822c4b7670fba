/** Messages between the server worker and an engine worker. One engine worker holds one model. */
import type { EmbedOptions, EngineEvent, GenerateRequest, SerializedEngineError } from '#core/host';

/** The first message to an engine worker. Each engine adds the model that it loads. */
export interface EngineLoadMessage {
  type: 'load';
  /** The name of the Web Lock that the engine worker holds for as long as it lives. */
  lock: string;
}

/** Messages to the engine worker after its model is loaded. Each `id` is answered by `result` or `failed`. */
export type EngineRequest =
  | { type: 'generate'; id: number; request: GenerateRequest }
  /** Requests the vectors of texts. An abort takes effect between two texts. */
  | { type: 'embed'; id: number; texts: string[]; options: EmbedOptions }
  | { type: 'abort'; id: number }
  | { type: 'tokenize'; id: number; text: string }
  | { type: 'detokenize'; id: number; tokens: number[] };

export interface WorkerModel {
  /** Tokens of one answer's context. */
  contextLength: number;
  /** How many answers can be generated at once. */
  parallel: number;
  threads: number;
  embedding: boolean;
  /** Bytes that the model uses: on all devices together, and on the GPU. */
  memory: { total: number; gpu: number };
  answer: CheckAnswer;
}

/** The answer to the prompt of known-answer.ts. */
export interface CheckAnswer {
  text: string;
  /** The likeliest first tokens and the natural logarithms of their probabilities. */
  likeliest: [token: string, logprob: number][];
  /** Whether all probabilities are finite numbers. */
  isFinite: boolean;
  /** For embedding models, in place of a text: the vector of a fixed text. */
  vector?: number[];
}

/** Messages from the engine worker. */
export type EngineReport =
  /** How much is loaded, from 0 to 1. The first report comes when the worker holds its lock. */
  | { type: 'progress'; fraction: number }
  | { type: 'loaded'; loaded: WorkerModel }
  | { type: 'load-failed'; failure: SerializedEngineError }
  | { type: 'events'; id: number; events: EngineEvent[] }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'failed'; id: number; failure: SerializedEngineError }
  /** The model cannot be used any more. This report may come without a request. */
  | { type: 'broken'; failure: SerializedEngineError };
