declare const self: ServiceWorkerGlobalScope;

/** Milliseconds between two looks whether those who asked are still there. */
const INTERVAL = 2000;

/**
 * Tells when a page that waits for an answer is closed or in the back/forward cache: a service worker's
 * `request.signal` stays silent then, and the stream is cancelled late or never.
 */
export class CallerWatch {
  readonly #callers = new Map<AbortController, string>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `clientId` may be empty: nothing is known then. `over` ends the watch. */
  begin(clientId: string): { signal: AbortSignal; over(): void } {
    const controller = new AbortController();
    if (clientId) {
      this.#callers.set(controller, clientId);
      this.#timer ??= setInterval(() => this.#look(), INTERVAL);
    }
    return { signal: controller.signal, over: () => this.#drop(controller) };
  }

  async #look(): Promise<void> {
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
