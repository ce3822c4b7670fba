/**
 * llama.cpp with its part for images, from the packages `@fugood/node-llama-*`. node-llama-cpp has no such part. Only the
 * process for images loads it. Options have llama.cpp's names.
 */
import { createRequire } from 'node:module';
import type { GpuKind } from '../protocol.ts';

export interface NativeOptions {
  model: string;
  n_ctx: number;
  n_batch: number;
  /** Layers on the GPU, more than there are for all. */
  n_gpu_layers: number;
  /** 0: the library chooses. */
  n_threads: number;
  n_parallel: number;
  use_mmap: boolean;
  ctx_shift: boolean;
  flash_attn_type: 'auto' | 'on' | 'off';
  cache_type_k?: string;
  cache_type_v?: string;
  lora_list?: { path: string; scaled: number }[];
}

export interface NativeCompletion {
  prompt: string;
  /** Data URLs of image and WAV files, one for each `MEDIA_MARK` of the prompt. */
  media_paths: string[];
  n_predict: number;
  seed: number;
  temperature: number;
  top_k: number;
  top_p: number;
  min_p: number;
  typical_p: number;
  penalty_last_n: number;
  penalty_repeat: number;
  penalty_present: number;
  penalty_freq: number;
  xtc_probability: number;
  dry_multiplier: number;
  grammar?: string;
}

export interface NativeResult {
  /** The whole answer. */
  text: string;
  tokens_predicted: number;
  stopped_eos: boolean;
  /** The prompt fills the context. */
  context_full: boolean;
  /** Milliseconds. `prompt_n`: the tokens that were evaluated, without those in the cache. */
  timings: { prompt_n: number; prompt_ms: number; predicted_ms: number };
}

export interface NativeContext {
  getModelInfo(): { metadata: Record<string, string> };
  getUsedDevices(): string[];
  /** Returns false, or throws, when the projector cannot be read or was made for another model. */
  initMultimodal(options: { path: string; use_gpu: boolean }): boolean;
  getMultimodalSupport(): { vision: boolean; audio: boolean };
  /** The tokens of a text with its BOS token. Each token of an image is -1. */
  tokenize(text: string, images?: string[]): Promise<{ tokens: Int32Array }>;
  detokenize(tokens: number[]): Promise<string>;
  /**
   * `onText` may be called after the result. Rejects when an image or the grammar cannot be used. The context is unusable
   * afterwards.
   */
  completion(options: NativeCompletion, onText: (event: { token: string }) => void): Promise<NativeResult>;
  /** Ends the completion after its current token. Has no effect before the first one. */
  stopCompletion(): void;
}

interface NativeLibrary {
  LlamaContext: {
    new (options: NativeOptions, onProgress: (percent: number) => void): NativeContext;
    toggleNativeLog(enabled: boolean, onLine: (level: string, text: string) => void): void;
  };
}

/** The mark of an image in a prompt. */
export const MEDIA_MARK = '<__media__>';

/** The package for a system. On macOS one package runs on both kinds of devices. */
function packageName(gpu: GpuKind | false): string {
  const variant = process.platform !== 'darwin' && gpu !== false ? '-vulkan' : '';
  return `@fugood/node-llama-${process.platform}-${process.arch}${variant}`;
}

const require = createRequire(import.meta.url);

/** Whether the optional package for this system is installed. */
export function isImageLibraryInstalled(): boolean {
  try {
    require.resolve(packageName(false));
    return true;
  } catch {
    return false;
  }
}

/** Loads llama.cpp for the CPU, or for the GPU: by Vulkan, or Metal on macOS. @throws when its package is not installed */
export function openImageLibrary(gpu: GpuKind | false): NativeLibrary {
  return require(packageName(gpu)) as NativeLibrary;
}
