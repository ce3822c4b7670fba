import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { SandboxThread, SandboxThreads } from '#core/host';
import { programFile, runsFromSource } from '../base/program-files.ts';

/** Starts sandboxes in worker threads, which do not keep this process alive. */
export const nodeSandbox: SandboxThreads = {
  start(): SandboxThread {
    const worker = startWorker();
    worker.unref();
    const gone = new Promise<Error>((resolve) => {
      worker.on('error', (error) => resolve(error as Error));
      worker.on('exit', (code) => resolve(new Error(`the thread ended with code ${code}`)));
    });
    return {
      post: (message) => worker.postMessage(message),
      onMessage(listener) {
        worker.on('message', listener);
        // Node lets a worker with a listener for messages keep the process alive again.
        worker.unref();
      },
      gone,
      terminate: () => void worker.terminate(),
    };
  },
};

function startWorker(): Worker {
  const name = 'tabd sandbox';
  if (runsFromSource) return startFromSource(name);
  return new Worker(programFile('sandbox-thread.js'), {
    name,
    workerData: { wasm: programFile('quickjs.wasm') },
  });
}

/** Starts the source through a TypeScript loader, which a thread must load itself. */
function startFromSource(name: string): Worker {
  const require = createRequire(import.meta.url);
  const loader = import.meta.resolve('tsx/esm/api');
  const entry = new URL('./sandbox-thread.ts', import.meta.url).href;
  const boot = `import(${JSON.stringify(loader)}).then(({ register }) => {
    register();
    return import(${JSON.stringify(entry)});
  })`;
  const wasm = require.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm');
  return new Worker(boot, { eval: true, name, workerData: { wasm }, execArgv: [] });
}
