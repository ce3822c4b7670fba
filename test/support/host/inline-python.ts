/** Python in the thread of the test: the real Pyodide and the real messages. Code that hangs cannot be terminated. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SandboxThreads } from '#core/host';
import type { PythonFiles } from '#core/webhooks';
import { servePython } from '#core/webhooks/sandbox/python/serve-python.ts';
import { inlineThread } from './inline-sandbox.ts';

const read = (name: string) => readFileSync(fileURLToPath(import.meta.resolve(`pyodide/${name}`)));

let program: Promise<WebAssembly.Module> | undefined;

/** The files of the installed package. Its program is compiled once for all tests of a file. */
export async function pythonFiles(): Promise<PythonFiles> {
  program ??= WebAssembly.compile(read('pyodide.asm.wasm'));
  const module = await program;
  return {
    createModule: (await import(import.meta.resolve('pyodide/pyodide.asm.mjs'))).default,
    instantiate: async (imports) => ({
      instance: await WebAssembly.instantiate(module, imports as WebAssembly.Imports),
      module,
    }),
    library: read('python_stdlib.zip'),
  };
}

export const inlinePython: SandboxThreads = {
  start: () => inlineThread((port) => servePython(port, pythonFiles)),
};
