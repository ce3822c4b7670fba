import type { SandboxThread, SandboxThreads } from '#core/host';

/** Sandbox threads as dedicated workers. */
export const browserSandbox: SandboxThreads = {
  start(): SandboxThread {
    const worker = new Worker(new URL('./sandbox.worker.ts', import.meta.url), {
      type: 'module',
      name: 'tabd sandbox',
    });
    let end: (cause: Error) => void = () => {};
    const gone = new Promise<Error>((resolve) => {
      end = resolve;
    });
    worker.addEventListener('error', (event) =>
      end(new Error(event.message || 'the worker failed to start')),
    );
    return {
      post: (message) => worker.postMessage(message),
      onMessage: (listener) => worker.addEventListener('message', ({ data }) => listener(data)),
      gone,
      terminate() {
        worker.terminate();
        end(new Error('the worker was ended'));
      },
    };
  },
};
