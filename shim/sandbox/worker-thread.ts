/** Worker threads for sandboxes. They do not keep this process alive. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { SandboxThread } from '#core/host';
import { programFile, runsFromSource } from '../base/program-files.ts';

/** @param entry name of a file of this folder, which is an entry of the built program too */
export function startWorker(entry: string, options: WorkerOptions): Worker {
  if (!runsFromSource) return new Worker(programFile(`${entry}.js`), options);
  // A thread must load the TypeScript loader itself.
  const loader = import.meta.resolve('tsx/esm/api');
  const source = new URL(`./${entry}.ts`, import.meta.url).href;
  const boot = `import(${JSON.stringify(loader)}).then(({ register }) => {
    register();
    return import(${JSON.stringify(source)});
  })`;
  return new Worker(boot, { ...options, eval: true, execArgv: [] });
}

/** The worker as the core sees it. */
export function sandboxThread(worker: Worker): SandboxThread {
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
}
