import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TensorProvider } from '#core/host';

/** The file that the process of a session runs: a built one, or the source through a TypeScript loader. */
export function tensorEntry(): { path: string; execArgv: string[] } {
  if (!import.meta.url.endsWith('.ts')) {
    const beside = fileURLToPath(new URL('./tensor-process.js', import.meta.url));
    const above = fileURLToPath(new URL('../../engine/tensor-process.js', import.meta.url));
    return { path: existsSync(beside) ? beside : above, execArgv: [] };
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return {
    path: fileURLToPath(new URL('./tensor-process.ts', import.meta.url)),
    execArgv: ['--import', loader],
  };
}

/** onnxruntime's WebAssembly and its loader: next to the built file, or in node_modules of a clone. */
export function runtimeFiles(provider: TensorProvider): { mjs: URL; wasm: URL } {
  const name = provider === 'webgpu' ? 'ort-wasm-simd-threaded.asyncify' : 'ort-wasm-simd-threaded';
  const find = (file: string) => {
    // The bundler puts this module into the package's folder or into a folder of shared chunks below it.
    const packaged = ['./onnx/', '../onnx/'].map((folder) => new URL(`${folder}${file}`, import.meta.url));
    const found = import.meta.url.endsWith('.ts') ? undefined : packaged.find((url) => existsSync(url));
    if (found) return found;
    return pathToFileURL(createRequire(import.meta.url).resolve(`onnxruntime-web/${file}`));
  };
  return { mjs: find(`${name}.mjs`), wasm: find(`${name}.wasm`) };
}
