/**
 * Stored files under the addresses at which web-llm looks for them: its caches and its fetches are answered from here,
 * and nothing of them reaches the network or a second store.
 */
export const HUB = 'https://tabd.invalid/';
/** As web-llm makes it of the address of a repository. */
export const REPOSITORY = `${HUB}model/resolve/main/`;
export const LIBRARY = `${HUB}library.wasm`;

export class BlobHub {
  constructor(private readonly files: ReadonlyMap<string, Blob>) {}

  /** Takes the place of the global `fetch` and `caches`. */
  install(scope: { fetch: typeof fetch; caches?: CacheStorage }): void {
    const real = scope.fetch.bind(scope);
    scope.fetch = async (input, init) => {
      const url = addressOf(input);
      return url.startsWith(HUB) ? this.answer(url) : real(input, init);
    };
    const caches = { open: async () => this.#cache() };
    Object.defineProperty(scope, 'caches', { value: caches, configurable: true });
  }

  answer(url: string): Response {
    const file = this.files.get(url);
    if (!file) return new Response(`this model has no ${url.slice(HUB.length)}`, { status: 404 });
    const type = url.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
    return new Response(file, {
      headers: { 'content-type': type, 'content-length': String(file.size) },
    });
  }

  /** Everything is in the cache from the start, and what is not there cannot be added. */
  #cache() {
    const missing = (url: string) => new Error(`this model has no file ${url.slice(REPOSITORY.length)}`);
    return {
      match: async (input: RequestInfo) => {
        const url = addressOf(input);
        return this.files.has(url) ? this.answer(url) : undefined;
      },
      add: async (input: RequestInfo) => {
        throw missing(addressOf(input));
      },
      keys: async () => [...this.files.keys()].map((url) => new Request(url)),
      delete: async () => false,
    };
  }
}

function addressOf(input: RequestInfo | URL): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
}
