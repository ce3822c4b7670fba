/** Caches the app's own files for offline use. Only the app's build has such files. */
declare const self: ServiceWorkerGlobalScope;
/**
 * Set by the build: the version of the app, and the pages relative to the service worker. The list of all other files
 * (`AppFiles`) is the file `assets/files-VERSION.json`, so that the worker stays small. Without one of the same version,
 * the installation fails and the browser tries again later.
 */
declare const __TABD_SHELL__: { version: string; pages: string[] } | undefined;

/** Paths relative to the service worker. Their names contain a hash of their content. */
interface AppFiles {
  hashed: string[];
  /** Files that only engines need. */
  lazy: string[];
}

const PREFIX = 'tabd-shell ';
/** Milliseconds that a navigation waits for the network before the cached page is shown. */
const NETWORK_TIMEOUT = 3000;

export interface AppShell {
  /** Answers the request if it is for one of the app's files. Returns whether it is. */
  handle(event: FetchEvent): boolean;
  /** Caches the files that only engines need. A page calls this when it is idle. */
  complete(): Promise<void>;
}

/**
 * Returns the cache of the app's files. Registers listeners that fill the cache on installation and remove older caches
 * on activation. Returns undefined when the build has no list of files.
 */
export function createAppShell(): AppShell | undefined {
  if (typeof __TABD_SHELL__ === 'undefined') return undefined;
  const shell = __TABD_SHELL__;
  const name = `${PREFIX}${new URL(self.registration.scope).pathname} ${shell.version}`;
  const base = new URL('./', self.location.href);
  const toUrl = (path: string) => new URL(path, base).href;
  const assets = toUrl('assets/');
  const list = `${assets}files-${shell.version}.json`;
  const pages = new Set(shell.pages.map(toUrl));

  self.addEventListener('install', (event) => event.waitUntil(fill()));
  self.addEventListener('activate', (event) => event.waitUntil(deleteOldCaches()));

  async function fill(): Promise<void> {
    const cache = await caches.open(name);
    const { hashed } = await readList();
    // Requests for pages bypass the HTTP cache, which may contain another version. A hashed name has one version.
    await cache.addAll([
      ...shell.pages.map((path) => new Request(toUrl(path), { cache: 'reload' })),
      ...hashed.map(toUrl),
    ]);
  }

  async function readList(): Promise<AppFiles> {
    const response = await cacheFirst(new Request(list));
    if (!response.ok) throw new Error(`${list} was answered with ${response.status}`);
    return response.json();
  }

  async function complete(): Promise<void> {
    const cache = await caches.open(name);
    const { lazy } = await readList();
    for (const url of lazy.map(toUrl)) {
      if (!(await cache.match(url))) await cache.add(url);
    }
  }

  async function deleteOldCaches(): Promise<void> {
    const scopePrefix = name.slice(0, name.lastIndexOf(' ') + 1);
    const old = (await caches.keys()).filter((key) => key.startsWith(scopePrefix) && key !== name);
    await Promise.all(old.map((key) => caches.delete(key)));
  }

  /** A file with a hashed name: from the cache, or from the network and then cached. */
  async function cacheFirst(request: Request): Promise<Response> {
    const cache = await caches.open(name);
    const cached = await cache.match(request.url);
    if (cached) return cached;
    const fresh = await fetch(request);
    if (fresh.status === 200) await cache.put(request.url, fresh.clone()).catch(() => {});
    return fresh;
  }

  /** A page: from the network, so that a new version is found, or else from the cache. */
  async function networkFirst(request: Request, page: string): Promise<Response> {
    try {
      return await fetch(request, { signal: AbortSignal.timeout(NETWORK_TIMEOUT) });
    } catch (cause) {
      const cached = await (await caches.open(name)).match(page);
      if (cached) return cached;
      throw cause;
    }
  }

  return {
    complete,
    handle(event) {
      const { request } = event;
      if (request.method !== 'GET' || request.headers.has('range')) return false;
      const { origin, pathname } = new URL(request.url);
      const url = origin + pathname;
      if (url.startsWith(assets)) event.respondWith(cacheFirst(request));
      else if (request.mode === 'navigate' && pages.has(url)) event.respondWith(networkFirst(request, url));
      else return false;
      return true;
    },
  };
}
