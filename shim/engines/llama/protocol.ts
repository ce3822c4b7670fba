/** The messages between the shim and an engine process. This file contains types only, for both sides. */
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
  /** The path of the projector, for the process that answers prompts with images. */
  projector?: string;
  /** Paths of LoRA adapters. */
  adapters: string[];
  options: LoadOptions;
  /** `auto` takes the best GPU. False runs everything on the CPU. */
  gpu: 'auto' | GpuKind | false;
}

export type EngineCommand =
  | LoadCommand
  /** `credit`: events that may be sent until the reader grants more. */
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

export interface LoadedInfo {
  device: Device;
  gpu: GpuKind | false;
  contextLength: number;
  embedding: boolean;
  /** Generations that can run at the same time. */
  parallel: number;
  /** Whether answers share batches, and prompts cached tokens. */
  sharing: { acrossSequences: boolean; acrossPieces: boolean };
  memory: { total: number; gpu: number };
}

export interface GpuInfo {
  name: string;
  type: GpuKind;
  memoryTotal: number;
  memoryFree: number;
}

/** The natural logarithms of the probabilities that a model gives to the tokens of a fixed text. */
export interface KnownAnswer {
  logprobs: number[];
  vocabularySize: number;
  /** The vector of the fixed text, from a model that was loaded for embeddings. `logprobs` is empty then. */
  vector?: number[];
}

export type Report =
  | { type: 'loading'; fraction: number }
  | { type: 'loaded'; loaded: LoadedInfo }
  | { type: 'load-failed'; failure: SerializedEngineError }
  | { type: 'events'; id: number; events: EngineEvent[] }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'failed'; id: number; failure: SerializedEngineError }
  | { type: 'log'; level: 'warn' | 'error'; message: string };
