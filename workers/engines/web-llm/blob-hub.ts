/** The beginning of all URLs that the hub answers. */
export const HUB_URL = 'https://tabd.invalid/';
/** The beginning of the URLs at which web-llm requests the files of a repository. */
export const REPOSITORY_URL = `${HUB_URL}model/resolve/main/`;
export const LIBRARY_URL = `${HUB_URL}library.wasm`;

/**
 * Serves stored files at the URLs that web-llm requests, in place of its caches and of the network. No file is downloaded or
 * stored a second time.
 */
export class BlobHub {
  /** @param files by URL */
  constructor(private readonly files: ReadonlyMap<string, Blob>) {}

  /** Replaces the global `fetch` and `caches`. */
  install(scope: { fetch: typeof fetch; caches?: CacheStorage }): void {
    const realFetch = scope.fetch.bind(scope);
    scope.fetch = async (input, init) => {
      const url = urlOf(input);
      return url.startsWith(HUB_URL) ? this.respond(url) : realFetch(input, init);
    };
    const caches = { open: async () => this.#cache() };
    Object.defineProperty(scope, 'caches', { value: caches, configurable: true });
  }

  /** The response to a request for `url`: the file, or 404. */
  respond(url: string): Response {
    const file = this.files.get(url);
    if (!file) return new Response(`this model has no ${url.slice(HUB_URL.length)}`, { status: 404 });
    const type = url.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
    return new Response(file, {
      headers: { 'content-type': type, 'content-length': String(file.size) },
    });
  }

  /** A cache that contains all files from the start. Other files cannot be added. */
  #cache() {
    const missing = (url: string) => new Error(`this model has no file ${url.slice(REPOSITORY_URL.length)}`);
    return {
      match: async (input: RequestInfo) => {
        const url = urlOf(input);
        return this.files.has(url) ? this.respond(url) : undefined;
      },
      add: async (input: RequestInfo) => {
        throw missing(urlOf(input));
      },
      keys: async () => [...this.files.keys()].map((url) => new Request(url)),
      delete: async () => false,
    };
  }
}

function urlOf(input: RequestInfo | URL): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
}
