/** The app's own files, kept for work without a network. Only the app's build has any; elsewhere this does nothing. */
declare const self: ServiceWorkerGlobalScope;
/** Written by the build: paths relative to the service worker; names of `hashed` ones hold their content's hash. */
declare const __TABD_SHELL__:
  | { version: string; pages: string[]; hashed: string[]; lazy: string[] }
  | undefined;

const PREFIX = 'tabd-shell ';
/** Milliseconds that a page of the app waits for the network before the kept copy is shown. */
const PATIENCE = 3000;

export interface AppShell {
  handle(event: FetchEvent): boolean;
  /** Keeps also what only engines need; to be called when the page has nothing better to do. */
  complete(): Promise<void>;
}

export function precache(): AppShell | undefined {
  if (typeof __TABD_SHELL__ === 'undefined') return undefined;
  const shell = __TABD_SHELL__;
  const name = `${PREFIX}${new URL(self.registration.scope).pathname} ${shell.version}`;
  const base = new URL('./', self.location.href);
  const address = (path: string) => new URL(path, base).href;
  const hashed = new Set([...shell.hashed, ...shell.lazy].map(address));
  const pages = new Set(shell.pages.map(address));

  self.addEventListener('install', (event) => event.waitUntil(fill()));
  self.addEventListener('activate', (event) => event.waitUntil(sweep()));

  async function fill(): Promise<void> {
    const cache = await caches.open(name);
    // Pages past the HTTP cache, which may hold another version's. The others' names tell their content.
    await cache.addAll([
      ...shell.pages.map((path) => new Request(address(path), { cache: 'reload' })),
      ...shell.hashed.map(address),
    ]);
  }

  async function complete(): Promise<void> {
    const cache = await caches.open(name);
    for (const url of shell.lazy.map(address)) {
      if (!(await cache.match(url))) await cache.add(url);
    }
  }

  async function sweep(): Promise<void> {
    const mine = name.slice(0, name.lastIndexOf(' ') + 1);
    const old = (await caches.keys()).filter((key) => key.startsWith(mine) && key !== name);
    await Promise.all(old.map((key) => caches.delete(key)));
  }

  /** Content-named files: the kept copy; large ones that only engines need are kept when they were first used. */
  async function fromCache(request: Request): Promise<Response> {
    const cache = await caches.open(name);
    const kept = await cache.match(request.url);
    if (kept) return kept;
    const fresh = await fetch(request);
    if (fresh.status === 200) await cache.put(request.url, fresh.clone()).catch(() => {});
    return fresh;
  }

  /** Pages: the network's, so that a new version is seen; the kept copy without one. */
  async function fromNetwork(request: Request, page: string): Promise<Response> {
    try {
      return await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
    } catch (cause) {
      const kept = await (await caches.open(name)).match(page);
      if (kept) return kept;
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
      if (hashed.has(url)) event.respondWith(fromCache(request));
      else if (request.mode === 'navigate' && pages.has(url)) event.respondWith(fromNetwork(request, url));
      else return false;
      return true;
    },
  };
}
