import type { SandboxThread, SandboxThreads } from '#core/host';

/** JavaScript of workflows, in QuickJS. */
export const browserSandbox: SandboxThreads = {
  start: () =>
    sandboxThread(
      new Worker(new URL('./sandbox.worker.ts', import.meta.url), { type: 'module', name: 'tabd sandbox' }),
    ),
};

/** Python of workflows, in Pyodide. Its files (13 MB) are loaded with the first thread. */
export const browserPython: SandboxThreads = {
  start: () =>
    sandboxThread(
      new Worker(new URL('./python.worker.ts', import.meta.url), { type: 'module', name: 'tabd python' }),
    ),
};

function sandboxThread(worker: Worker): SandboxThread {
  let end: (cause: Error) => void = () => {};
  const gone = new Promise<Error>((resolve) => {
    end = resolve;
  });
  worker.addEventListener('error', (event) => end(new Error(event.message || 'the worker failed to start')));
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.addEventListener('message', ({ data }) => listener(data)),
    gone,
    terminate() {
      worker.terminate();
      end(new Error('the worker was ended'));
    },
  };
}
