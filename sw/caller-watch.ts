declare const self: ServiceWorkerGlobalScope;

/** Milliseconds between two checks whether the calling pages still exist. */
const CHECK_INTERVAL = 2000;

/**
 * Detects that a page which waits for a response was closed or is in the back/forward cache. A service worker's
 * `request.signal` does not abort then, and the browser cancels the response's stream late or never.
 */
export class CallerWatch {
  readonly #callers = new Map<AbortController, string>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * Watches a page. `signal` aborts when the page is gone; `stop` ends the watch.
   * @param clientId empty for an unknown page, which is not watched
   */
  watch(clientId: string): { signal: AbortSignal; stop(): void } {
    const controller = new AbortController();
    if (clientId) {
      this.#callers.set(controller, clientId);
      this.#timer ??= setInterval(() => this.#checkPages(), CHECK_INTERVAL);
    }
    return { signal: controller.signal, stop: () => this.#drop(controller) };
  }

  async #checkPages(): Promise<void> {
    for (const [controller, id] of [...this.#callers]) {
      if ((await self.clients.get(id)) !== undefined) continue;
      this.#drop(controller);
      controller.abort(new DOMException('the page that asked was left', 'AbortError'));
    }
  }

  #drop(controller: AbortController): void {
    this.#callers.delete(controller);
    if (this.#callers.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}
