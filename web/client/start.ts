import { defaultServiceWorker, defaultWorker } from './default-files.ts';
import { checkOptions } from './options.ts';
import { PageTabd, scopeFolder } from './page-tabd.ts';
import type { StartOptions, Tabd } from './types.ts';

/**
 * Starts tabd in this page. Resolves as soon as requests are answered: by this tab if it is the first one, else by the
 * leading tab. The global `fetch` works too, unless `state.serviceWorker` says otherwise. Downloads of `models` may
 * still run: see `modelsReady`. Rejects with a `StartError`.
 *
 * @example
 * ```ts browser
 * import { start } from 'tabd';
 *
 * const tabd = await start({ apis: ['local-models'], models: ['smollm2:135m'], onConsent: () => true });
 * await tabd.modelsReady;
 * const response = await fetch('/api/generate', {
 *   method: 'POST',
 *   body: JSON.stringify({ model: 'smollm2:135m', prompt: 'Hello', stream: false }),
 * });
 * console.log((await response.json()).response);
 * ```
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
