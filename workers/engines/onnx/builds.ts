/** onnxruntime's builds for a browser. Each is loaded when a session needs it. */

import asyncifyModule from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import asyncifyWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import jspiModule from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url';
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import plainModule from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import type { TensorProvider } from '#core/host';

/** WebAssembly that can wait in the browser's own way (JSPI). Builds for that read large files by themselves. */
export const canWait = 'Suspending' in WebAssembly;

type Runtime = typeof import('onnxruntime-web');

/**
 * The smallest build that has the provider. WebGPU needs WebAssembly that can wait: the browser's own way (JSPI) where it has
 * one, else code rewritten to do so (asyncify), of twice the size, whose functions keep a browser's compiler busy for a minute.
 */
export async function loadRuntime(provider: TensorProvider): Promise<Runtime> {
  if (provider === 'wasm') return at(await import('onnxruntime-web/wasm'), plainModule, plainWasm);
  if (canWait) return at(await import('onnxruntime-web/jspi'), jspiModule, jspiWasm);
  return at(await import('onnxruntime-web/webgpu'), asyncifyModule, asyncifyWasm);
}

function at(runtime: unknown, mjs: string, wasm: string): Runtime {
  const ort = runtime as Runtime;
  const absolute = (url: string) => new URL(url, import.meta.url).href;
  ort.env.wasm.wasmPaths = { mjs: absolute(mjs), wasm: absolute(wasm) };
  ort.env.logLevel = 'error';
  return ort;
}
