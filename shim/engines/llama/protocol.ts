/** What the shim and an engine process say to each other. Types only: both sides are built from this file. */
import type {
  Device,
  EmbedOptions,
  EngineEvent,
  GenerateRequest,
  LoadOptions,
  SerializedEngineError,
} from '#core/host';

export type GpuKind = 'cuda' | 'vulkan' | 'metal';

export interface LoadCommand {
  type: 'load';
  path: string;
  /** Paths of LoRA adapters. */
  adapters: string[];
  options: LoadOptions;
  /** `auto` looks for the best one; false keeps everything on the CPU. */
  gpu: 'auto' | GpuKind | false;
}

export type Command =
  | LoadCommand
  /** `credit`: events that may be sent before the reader asks for more. */
  | { type: 'generate'; id: number; request: GenerateRequest; credit: number }
  | { type: 'credit'; id: number; events: number }
  | { type: 'stop'; id: number }
  /** May be stopped between two texts. */
  | { type: 'embed'; id: number; texts: string[]; options: EmbedOptions }
  | { type: 'tokenize'; id: number; text: string }
  | { type: 'detokenize'; id: number; tokens: number[] }
  /** Evaluates a fixed text, to compare devices. */
  | { type: 'known-answer'; id: number }
  /** Lists the GPUs without loading a model. */
  | { type: 'gpus'; id: number };

export interface Loaded {
  device: Device;
  gpu: GpuKind | false;
  contextLength: number;
  embedding: boolean;
  /** Generations that may run at once. */
  parallel: number;
  /** What was found about batches: for the log. */
  exactness: { beside: boolean; inPieces: boolean };
  memory: { total: number; gpu: number };
}

export interface GpuInfo {
  name: string;
  type: GpuKind;
  memoryTotal: number;
  memoryFree: number;
}

/** How the model finds each next token of the fixed text: natural logarithms of their probabilities. */
export interface KnownAnswer {
  logprobs: number[];
  vocabularySize: number;
  /** Instead of these, of a model that was loaded for embeddings: the vector of the fixed text. */
  vector?: number[];
}

export type Report =
  | { type: 'loading'; fraction: number }
  | { type: 'loaded'; loaded: Loaded }
  | { type: 'load-failed'; failure: SerializedEngineError }
  | { type: 'events'; id: number; events: EngineEvent[] }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'failed'; id: number; failure: SerializedEngineError }
  | { type: 'log'; level: 'warn' | 'error'; message: string };
