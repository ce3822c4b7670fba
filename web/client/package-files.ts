/**
 * The addresses of the published package's files. It is published as `tabd-files.js`; `tabd/vite` replaces it by a
 * module with the addresses of the site's build.
 */
export const defaultServiceWorker = './sw.js';

/** The worker next to this file, or for a bundle in the folder `tabd/` of the scope, where `tabd copy` puts it. */
export function defaultWorker(scope: URL): URL {
  const { href } = new URL(import.meta.url);
  const unbundled = !href.startsWith('file:') && /\/tabd-files\.js$/.test(href.replace(/[?#].*$/, ''));
  return unbundled
    ? new URL(/* @vite-ignore */ /* webpackIgnore: true */ './server.worker.js', href)
    : new URL('tabd/server.worker.js', scope);
}
