import worker from '../../workers/server.worker.ts?worker&url';

/** The addresses of tabd's files in the app's build. */
export const defaultServiceWorker = './sw.js';

export function defaultWorker(_scope: URL): URL {
  return new URL(worker, import.meta.url);
}
