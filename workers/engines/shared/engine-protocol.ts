/** What the server worker and an engine worker say to each other. One engine worker holds one model. */
import type {
  EmbedOptions,
  EngineEvent,
  GenerateRequest,
  LoadOptions,
  SerializedEngineError,
} from '#core/host';

export interface LoadMessage {
  type: 'load';
  /** Name of the Web Lock that the engine worker holds for as long as it lives. */
  lock: string;
  weights: Blob;
  projector?: Blob;
  /** LoRA adapters, all of them applied in full. */
  adapters?: Blob[];
  /** Of each answer. */
  contextLength: number;
  /** Answers at once. */
  parallel: number;
  /** Numbers of the cache, where not the usual ones. */
  cacheType?: LoadOptions['cacheType'];
  batchSize: number;
  /** 0 = CPU: no WebGPU device is even asked for. */
  gpuLayers: number;
  threads: number;
  /** `answer`: run the known-answer prompt; `finite`: one token only, to see that numbers come out. */
  check: 'answer' | 'finite';
  /** For vectors of texts instead of answers. */
  embedding: boolean;
}

export type ToEngine =
  | LoadMessage
  | { type: 'generate'; id: number; request: GenerateRequest }
  /** Aborted between two texts. */
  | { type: 'embed'; id: number; texts: string[]; options: EmbedOptions }
  | { type: 'abort'; id: number }
  | { type: 'tokenize'; id: number; text: string }
  | { type: 'detokenize'; id: number; tokens: number[] };

export interface Loaded {
  contextLength: number;
  parallel: number;
  threads: number;
  embedding: boolean;
  memory: { total: number; gpu: number };
  answer: CheckAnswer;
}

export interface CheckAnswer {
  text: string;
  /** The likeliest first tokens and the natural logarithms of their probabilities. */
  likeliest: [token: string, logprob: number][];
  /** False when a probability was not a number. */
  finite: boolean;
  /** Instead of a text, of a model for embeddings: the vector of a fixed one. */
  vector?: number[];
}

export type FromEngine =
  | { type: 'progress'; fraction: number }
  | { type: 'loaded'; loaded: Loaded }
  | { type: 'load-failed'; failure: SerializedEngineError }
  | { type: 'events'; id: number; events: EngineEvent[] }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'failed'; id: number; failure: SerializedEngineError }
  /** The model is unusable from now on, whether or not a request was running. */
  | { type: 'broken'; failure: SerializedEngineError };
