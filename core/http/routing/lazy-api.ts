import { Lazy } from '#core/base';
import type { ApiName } from '../apis.ts';
import type { Api } from './api.ts';
import { Router } from './router.ts';
import { withOpenApi } from './with-openapi.ts';

/** An API whose code is loaded by its first request. */
export class LazyApi {
  readonly #router: Lazy<Router>;

  constructor(
    readonly name: ApiName,
    load: () => Promise<Api>,
  ) {
    this.#router = new Lazy(async () => new Router(withOpenApi(await load())));
  }

  /** Loads the API at the first call. Rejects with the error of loading; the next call tries again. */
  router(): Promise<Router> {
    return this.#router.get();
  }

  /** Closes the API if it was loaded. */
  async close(): Promise<void> {
    const router = await this.#router.peek();
    await router?.api.close?.();
  }
}
