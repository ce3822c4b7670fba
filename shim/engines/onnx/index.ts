import { createRequire } from 'node:module';
import { type Digest, type FilePath, type Log, type Machine, ProviderUnusable, type TensorEngine } from '#core/host';
import { createOnnxEngine } from '#core/tensors';
import { TensorChild } from './tensor-child.ts';

export interface NodeTensorOptions {
  /** The path of a stored file. */
  pathOf(digest: Digest): string;
  /** The path of a file of `Host.files`. */
  placeOf(path: FilePath): string;
  /** The GPUs of this computer, without those that a processor emulates. Default: none. */
  gpus?: Machine['gpus'];
  log?: Log;
}

/**
 * onnxruntime in child processes. `onnxruntime-node` runs on the CPU, and on a GPU that llama.cpp finds. Without it,
 * onnxruntime-web runs on the CPU, and on a GPU by the package `webgpu`.
 */
export function nodeTensorEngine({ pathOf, placeOf, gpus, log }: NodeTensorOptions): TensorEngine {
  return createOnnxEngine<string>({
    fileOf: async (file) => ('path' in file ? placeOf(file.path) : pathOf(file.digest)),
    async start(provider) {
      if (provider !== 'webgpu') return new TensorChild(provider, log);
      const [gpu] = (canResolve('onnxruntime-node') && (await gpus?.().catch(() => []))) || [];
      if (!gpu && !hasWebgpu()) {
        throw new ProviderUnusable(
          'no GPU was found for onnxruntime (npm packages onnxruntime-node, node-llama-cpp; or webgpu, onnxruntime-web)',
        );
      }
      return new TensorChild(provider, log, gpu?.name);
    },
    hasNativeCpu: () => canResolve('onnxruntime-node'),
  });
}

// The published package of tabd contains the CPU runtime of onnxruntime-web only.
const hasWebgpu = (): boolean => canResolve('webgpu', 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm');

/** Whether all of these modules are installed. */
function canResolve(...modules: string[]): boolean {
  try {
    const { resolve } = createRequire(import.meta.url);
    for (const module of modules) resolve(module);
    return true;
  } catch {
    return false;
  }
}
