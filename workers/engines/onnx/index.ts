import { type Digest, type FilePath, ProviderUnusable, type TensorEngine } from '#core/host';
import { createOnnxEngine } from '#core/tensors';
import { TensorWorker } from './tensor-worker.ts';

export interface BrowserTensorOptions {
  /** The file of a stored blob. */
  fileOf(digest: Digest): Promise<Blob>;
  /** A file of `Host.files`. */
  namedFile(path: FilePath): Promise<Blob>;
}

/** onnxruntime-web, on WebGPU or in WebAssembly. Each session has a dedicated worker. */
export function browserTensorEngine({ fileOf, namedFile }: BrowserTensorOptions): TensorEngine {
  return createOnnxEngine<Blob>({
    fileOf: (file) => ('path' in file ? namedFile(file.path) : fileOf(file.digest)),
    start(provider) {
      if (provider === 'webgpu' && !('gpu' in navigator)) {
        throw new ProviderUnusable('this browser has no WebGPU here');
      }
      return new TensorWorker();
    },
  });
}
