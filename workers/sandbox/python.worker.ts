/** Runs Python of workflows, where it has no access to the page or the server. */
import createModule from 'pyodide/pyodide.asm.mjs';
import wasm from 'pyodide/pyodide.asm.wasm?url';
import library from 'pyodide/python_stdlib.zip?url';
import { servePython } from '#core/webhooks';

// Called before the first `await`, because messages without a listener are lost.
await servePython(
  {
    post: (message) => self.postMessage(message),
    onMessage: (listener) => self.addEventListener('message', ({ data }: MessageEvent) => listener(data)),
  },
  async () => {
    const [program, files] = await Promise.all([load(wasm), load(library)]);
    return {
      createModule,
      instantiate: (imports) => WebAssembly.instantiate(program, imports as WebAssembly.Imports),
      library: new Uint8Array(files),
    };
  },
);

async function load(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`Python could not be loaded: status ${response.status} for ${address}`);
  return response.arrayBuffer();
}
