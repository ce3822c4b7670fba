import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { childEntry, programFile, runsFromSource } from '../../base/program-files.ts';

/** The file that the process of a session runs: the built one, or the source through a TypeScript loader. */
export const tensorEntry = () =>
  childEntry('tensor-process', new URL('./tensor-process.ts', import.meta.url));

/** onnxruntime's WebAssembly and its loader: next to the built file, or in node_modules of a clone. */
export function runtimeFiles(): { mjs: URL; wasm: URL } {
  const find = (file: string) => {
    const packaged = programFile(`onnx/${file}`);
    if (!runsFromSource && existsSync(packaged)) return pathToFileURL(packaged);
    return pathToFileURL(createRequire(import.meta.url).resolve(`onnxruntime-web/${file}`));
  };
  const name = 'ort-wasm-simd-threaded';
  return { mjs: find(`${name}.mjs`), wasm: find(`${name}.wasm`) };
}
