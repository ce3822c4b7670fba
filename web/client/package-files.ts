/**
 * Where the published package's files are, as the file `tabd-files.js`. `tabd/vite` puts a module of its own in its
 * place, which knows where the build has put them.
 */
export const defaultServiceWorker = './sw.js';

/** Served as it was published, everything lies beside this file. In a bundle: in `tabd/`, as `tabd copy` leaves it. */
export function defaultWorker(scope: URL): URL {
  const { href } = new URL(import.meta.url);
  const unbundled = !href.startsWith('file:') && /\/tabd-files\.js$/.test(href.replace(/[?#].*$/, ''));
  return unbundled
    ? new URL(/* @vite-ignore */ /* webpackIgnore: true */ './server.worker.js', href)
    : new URL('tabd/server.worker.js', scope);
}
