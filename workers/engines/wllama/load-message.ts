import type { LoadOptions } from '#core/host';
import type { EngineLoadMessage } from '../shared/engine-protocol.ts';

/** The model that a worker of wllama loads. */
export interface LoadMessage extends EngineLoadMessage {
  weights: Blob;
  /** The other parts of a split model, in their order. */
  parts?: Blob[];
  projector?: Blob;
  /** LoRA adapters, all applied at full strength. */
  adapters?: Blob[];
  /** Tokens of one answer's context. */
  contextLength: number;
  /** How many answers are generated at once. */
  parallel: number;
  /** The type of numbers in the cache. Default: that of llama.cpp. */
  cacheType?: LoadOptions['cacheType'];
  batchSize: number;
  /** 0 for the CPU: then no WebGPU device is requested. Negative for all layers. */
  gpuLayers: number;
  threads: number;
  /** `answer` runs the prompt with the known answer. `finite` generates one token, to see that its probability is a number. */
  check: 'answer' | 'finite';
  /** Whether the model computes vectors of texts in place of answers. */
  embedding: boolean;
}
