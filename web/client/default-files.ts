import worker from '../../workers/server.worker.ts?worker&url';

/** Where the app's build has put tabd's files. */
export const defaultServiceWorker = './sw.js';

export function defaultWorker(_scope: URL): URL {
  return new URL(worker, import.meta.url);
}
