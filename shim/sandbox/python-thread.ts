/** The entry of a thread for Python of workflows. */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { servePython } from '#core/webhooks';
import type { PythonPaths } from './python-threads.ts';

const port = parentPort;
if (port) {
  const { module, wasm, library } = workerData as PythonPaths;
  await servePython(
    {
      post: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', listener),
    },
    async () => {
      const program = await readFile(wasm);
      return {
        createModule: (await import(/* @vite-ignore */ module)).default,
        instantiate: (imports) => WebAssembly.instantiate(program, imports as WebAssembly.Imports),
        library: await readFile(library),
      };
    },
  );
}
