import type { Api } from './api.ts';
import type { ApiName } from './paths.ts';
import { Router } from './router.ts';

/** An API whose code is loaded when it is first asked: nobody waits for the code of APIs that are not used. */
export class LateApi {
  #loading: Promise<Router> | undefined;

  constructor(
    readonly name: ApiName,
    private readonly load: () => Promise<Api>,
  ) {}

  /** What could not be loaded is tried again by the next request. */
  router(): Promise<Router> {
    if (!this.#loading) {
      const loading = this.load().then((api) => new Router(api));
      loading.catch(() => {
        this.#loading = undefined;
      });
      this.#loading = loading;
    }
    return this.#loading;
  }

  async close(): Promise<void> {
    const router = await this.#loading?.catch(() => undefined);
    await router?.api.close?.();
  }
}
