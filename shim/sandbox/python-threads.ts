import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { SandboxThreads } from '#core/host';
import { sandboxThread, startWorker } from './worker-thread.ts';

/** Where the files of Python are. */
export interface PythonPaths {
  /** The address of `pyodide.asm.mjs`. */
  module: string;
  wasm: string;
  library: string;
}

/** Megabytes of JavaScript in a thread, besides Python's own memory: the script, its result and the library. */
const MAX_HEAP = 512;

/** Python of workflows, in Pyodide. Undefined: the optional package `pyodide` is not installed. */
export function nodePython(): SandboxThreads | undefined {
  const paths = findPython();
  return (
    paths && {
      start: () =>
        sandboxThread(
          startWorker('python-thread', {
            name: 'tabd python',
            workerData: paths,
            env: {},
            resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP },
          }),
        ),
    }
  );
}

function findPython(): PythonPaths | undefined {
  const { resolve } = createRequire(import.meta.url);
  try {
    return {
      module: pathToFileURL(resolve('pyodide/pyodide.asm.mjs')).href,
      wasm: resolve('pyodide/pyodide.asm.wasm'),
      library: resolve('pyodide/python_stdlib.zip'),
    };
  } catch {
    return undefined;
  }
}
