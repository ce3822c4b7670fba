import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAppShell } from './app-shell.ts';

const ORIGIN = 'https://site';
const shellOfBuild = { version: '2', pages: ['./'] };
const files = { hashed: ['assets/app-1.js'], lazy: ['assets/engine-1.wasm'] };
const LIST = '/tabd/assets/files-2.json';

/** The caches of a browser, as far as the app shell uses them. */
class FakeCaches {
  readonly stored = new Map<string, Map<string, Response>>();
  async open(name: string) {
    const entries = this.stored.get(name) ?? new Map<string, Response>();
    this.stored.set(name, entries);
    const add = async (request: Request | string) => {
      const url = typeof request === 'string' ? request : request.url;
      entries.set(url, await fetch(request));
    };
    return {
      add,
      addAll: (requests: (Request | string)[]) => Promise.all(requests.map(add)),
      match: async (url: string) => entries.get(url)?.clone(),
      put: async (url: string, response: Response) => void entries.set(url, response),
    };
  }
  async keys() {
    return [...this.stored.keys()];
  }
  async delete(name: string) {
    return this.stored.delete(name);
  }
}

let caches: FakeCaches;
let network: ReturnType<typeof vi.fn>;
let listeners: Map<string, (event: object) => void>;

beforeEach(() => {
  caches = new FakeCaches();
  network = vi.fn(async (request: Request | string) => {
    const { pathname } = new URL(typeof request === 'string' ? request : request.url);
    return pathname === LIST ? Response.json(files) : new Response(`network ${pathname}`);
  });
  listeners = new Map();
  vi.stubGlobal('caches', caches);
  vi.stubGlobal('fetch', network);
  vi.stubGlobal('__TABD_SHELL__', shellOfBuild);
  vi.stubGlobal('self', {
    registration: { scope: `${ORIGIN}/tabd/` },
    location: { href: `${ORIGIN}/tabd/sw.js`, origin: ORIGIN },
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
  });
});
afterEach(() => vi.unstubAllGlobals());

const CACHE_NAME = 'tabd-shell /tabd/ 2';

async function dispatch(type: string): Promise<void> {
  let work: Promise<unknown> | undefined;
  listeners.get(type)!({
    waitUntil: (promise: Promise<unknown>) => {
      work = promise;
    },
  });
  await work;
}

/** Passes a request to the shell. Returns the text of its response, or undefined when the shell does not answer. */
async function handle(path: string, { navigates = false, headers = {}, method = 'GET' } = {}) {
  let response: Promise<Response> | undefined;
  const request = new Request(`${ORIGIN}${path}`, { method, headers });
  if (navigates) Object.defineProperty(request, 'mode', { value: 'navigate' });
  const isHandled = createAppShell()!.handle({
    request,
    respondWith: (promise: Promise<Response>) => {
      response = promise;
    },
  } as unknown as FetchEvent);
  expect(isHandled).toBe(response !== undefined);
  return (await response)?.text();
}

test('a build without a list of files has no shell', () => {
  vi.stubGlobal('__TABD_SHELL__', undefined);
  expect(createAppShell()).toBeUndefined();
});

test('the installation caches pages and hashed files, and `complete` those of the engines', async () => {
  const shell = createAppShell()!;
  await dispatch('install');
  const urls = () => [...caches.stored.get(CACHE_NAME)!.keys()];
  expect(urls()).toEqual([`${ORIGIN}${LIST}`, `${ORIGIN}/tabd/`, `${ORIGIN}/tabd/assets/app-1.js`]);
  await shell.complete();
  expect(urls()).toContain(`${ORIGIN}/tabd/assets/engine-1.wasm`);
  network.mockClear();
  await shell.complete();
  expect(network).not.toHaveBeenCalled();
});

test('the installation fails without the list of its own version', async () => {
  network.mockResolvedValue(new Response('not found', { status: 404 }));
  createAppShell();
  await expect(dispatch('install')).rejects.toThrow('files-2.json was answered with 404');
  expect([...caches.stored.get(CACHE_NAME)!.keys()]).toEqual([]);
});

test('the activation removes older caches of this scope alone', async () => {
  for (const name of [CACHE_NAME, 'tabd-shell /tabd/ 1', 'tabd-shell /other/ 1', 'weights'])
    await caches.open(name);
  createAppShell();
  await dispatch('activate');
  expect(await caches.keys()).toEqual([CACHE_NAME, 'tabd-shell /other/ 1', 'weights']);
});

test('a hashed file comes from the network once, then from the cache', async () => {
  expect(await handle('/tabd/assets/engine-1.wasm')).toBe('network /tabd/assets/engine-1.wasm');
  network.mockRejectedValue(new Error('offline'));
  expect(await handle('/tabd/assets/engine-1.wasm')).toBe('network /tabd/assets/engine-1.wasm');
});

test('a failed response for a hashed file is not cached', async () => {
  network.mockResolvedValueOnce(new Response('broken', { status: 500 }));
  expect(await handle('/tabd/assets/app-1.js')).toBe('broken');
  expect(await handle('/tabd/assets/app-1.js')).toBe('network /tabd/assets/app-1.js');
});

test('a page comes from the network, and from the cache without one', async () => {
  createAppShell();
  await dispatch('install');
  network.mockResolvedValueOnce(new Response('new version'));
  expect(await handle('/tabd/?chat=1', { navigates: true })).toBe('new version');
  network.mockRejectedValue(new Error('offline'));
  expect(await handle('/tabd/?chat=1', { navigates: true })).toBe('network /tabd/');
});

test('without network and cache the navigation fails with the error of the network', async () => {
  network.mockRejectedValue(new Error('offline'));
  await expect(handle('/tabd/', { navigates: true })).rejects.toThrow('offline');
});

test('other requests are left to others', async () => {
  expect(await handle('/tabd/other.js')).toBeUndefined();
  expect(await handle('/tabd/')).toBeUndefined();
  expect(await handle('/tabd/assets/app-1.js', { method: 'POST' })).toBeUndefined();
  expect(await handle('/tabd/assets/app-1.js', { headers: { range: 'bytes=0-1' } })).toBeUndefined();
});
