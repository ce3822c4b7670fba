/** The builds of onnxruntime for browsers. Each is loaded when a session needs it. */

import asyncifyModule from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import asyncifyWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import jspiModule from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url';
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import plainModule from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import type { TensorProvider } from '#core/host';

/** Whether WebAssembly can wait for promises (JSPI). Builds for JSPI read large files in parts. */
export const hasJspi = 'Suspending' in WebAssembly;

type Runtime = typeof import('onnxruntime-web');

/**
 * Loads the smallest build that has the provider. WebGPU needs WebAssembly that can wait for promises, by JSPI or by asyncify.
 * The build with asyncify has twice the size, and takes a browser up to a minute to compile.
 */
export async function loadRuntime(provider: TensorProvider): Promise<Runtime> {
  if (provider === 'wasm') return configure(await import('onnxruntime-web/wasm'), plainModule, plainWasm);
  if (hasJspi) return configure(await import('onnxruntime-web/jspi'), jspiModule, jspiWasm);
  return configure(await import('onnxruntime-web/webgpu'), asyncifyModule, asyncifyWasm);
}

/** Sets the URLs from which onnxruntime loads its code. */
function configure(runtime: unknown, mjs: string, wasm: string): Runtime {
  const ort = runtime as Runtime;
  const absolute = (url: string) => new URL(url, import.meta.url).href;
  ort.env.wasm.wasmPaths = { mjs: absolute(mjs), wasm: absolute(wasm) };
  ort.env.logLevel = 'error';
  return ort;
}
