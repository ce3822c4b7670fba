import { createRequire } from 'node:module';
import {
  type Digest,
  type FilePath,
  type Log,
  type Machine,
  ProviderUnusable,
  type TensorEngine,
} from '#core/host';
import { createOnnxEngine } from '#core/tensors';
import { TensorChild } from './tensor-child.ts';

export interface NodeTensorOptions {
  /** The path of a stored file, which may have to be copied to this computer first. */
  pathOf(digest: Digest): string | Promise<string>;
  /** The path of a file of `Host.files`, as `pathOf`. */
  placeOf(path: FilePath): string | Promise<string>;
  /** The GPUs of this computer, without those that a processor emulates. Default: none. */
  gpus?: Machine['gpus'];
  log?: Log;
}

/**
 * onnxruntime in child processes. `onnxruntime-node` computes on a GPU that llama.cpp finds, and on the CPU. Without it,
 * onnxruntime-web computes on the CPU.
 */
export function nodeTensorEngine({ pathOf, placeOf, gpus, log }: NodeTensorOptions): TensorEngine {
  return createOnnxEngine<string>({
    fileOf: async (file) => ('path' in file ? placeOf(file.path) : pathOf(file.digest)),
    async start(provider) {
      if (provider !== 'webgpu') return new TensorChild(provider, log);
      const [gpu] = hasNative() ? ((await gpus?.().catch(() => [])) ?? []) : [];
      if (!gpu)
        throw new ProviderUnusable('no GPU was found (npm packages onnxruntime-node, node-llama-cpp)');
      return new TensorChild(provider, log, gpu.name);
    },
    hasNativeCpu: hasNative,
  });
}

/** Whether the native runtime is installed. */
function hasNative(): boolean {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-node');
    return true;
  } catch {
    return false;
  }
}
