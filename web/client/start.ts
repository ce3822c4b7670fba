import { defaultServiceWorker, defaultWorker } from './default-files.ts';
import { checkOptions } from './options.ts';
import { PageTabd, scopeFolder } from './page-tabd.ts';
import type { StartOptions, Tabd } from './types.ts';

/**
 * Starts tabd in this page. When the promise settles, requests are answered: by this tab if it is the first, else by
 * the one that leads; plain `fetch` too, unless `state.serviceWorker` says why not. Models that were asked for may
 * still be on their way: see `modelsReady`. Rejects with a `StartError`.
 */
export async function start(options: StartOptions = {}): Promise<Tabd> {
  const checked = checkOptions({ serviceWorker: defaultServiceWorker, ...options });
  const worker =
    options.worker === undefined
      ? defaultWorker(scopeFolder(checked))
      : new URL(options.worker, document.baseURI);
  const tabd = new PageTabd(checked, worker);
  await tabd.start();
  return tabd;
}
