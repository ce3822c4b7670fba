import { defaultWorker } from './default-worker.ts';
import { PageTabd } from './tabd.ts';
import type { StartOptions, Tabd } from './types.ts';

/**
 * Starts tabd in this page. When the promise settles, requests are answered: by this tab if it is the first, else by
 * the one that leads; plain `fetch` too, unless `state.serviceWorker` says why not. Rejects with a `StartError`.
 */
export async function start(options: StartOptions = {}): Promise<Tabd> {
  const worker = options.worker === undefined ? defaultWorker : new URL(options.worker, document.baseURI);
  const tabd = new PageTabd(options, worker);
  await tabd.start();
  return tabd;
}
