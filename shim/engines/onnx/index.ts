import { createRequire } from 'node:module';
import { type Digest, type FilePath, type Log, ProviderUnusable, type TensorEngine } from '#core/host';
import { createOnnxEngine } from '#core/tensors';
import { TensorChild } from './tensor-child.ts';

export interface NodeTensorOptions {
  /** The path of a stored file. */
  pathOf(digest: Digest): string;
  /** The path of a file of `Host.files`. */
  placeOf(path: FilePath): string;
  log?: Log;
}

/** onnxruntime-web in child processes: on the CPU, or on a GPU if the package `webgpu` is installed. */
export function nodeTensorEngine({ pathOf, placeOf, log }: NodeTensorOptions): TensorEngine {
  return createOnnxEngine<string>({
    fileOf: async (file) => ('path' in file ? placeOf(file.path) : pathOf(file.digest)),
    start(provider) {
      if (provider === 'webgpu' && !hasWebgpu()) {
        throw new ProviderUnusable(
          'no WebGPU for Node is installed here (npm packages webgpu, onnxruntime-web)',
        );
      }
      return new TensorChild(provider, log);
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
