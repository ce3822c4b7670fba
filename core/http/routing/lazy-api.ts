import { Lazy } from '#core/base';
import type { ApiName } from '../apis.ts';
import type { Api } from './api.ts';
import { Router } from './router.ts';

/** An API whose code is loaded when it is first asked: nobody waits for the code of APIs that are not used. */
export class LazyApi {
  readonly #router: Lazy<Router>;

  constructor(
    readonly name: ApiName,
    load: () => Promise<Api>,
  ) {
    this.#router = new Lazy(async () => new Router(await load()));
  }

  router(): Promise<Router> {
    return this.#router.get();
  }

  async close(): Promise<void> {
    const router = await this.#router.peek();
    await router?.api.close?.();
  }
}
