import type { DownloadConsent } from '#core/host';
import type { ConsentPage } from '#relay';

/** Asks the user for consent on all pages at once. The first answer counts, and the other pages withdraw their request. */
export class Consents {
  readonly #pages = new Set<ConsentPage>();
  #nextId = 1;

  add(page: ConsentPage): void {
    this.#pages.add(page);
  }

  /** The user's answer. False when no page can ask. Rejects with the signal's reason. */
  async ask(request: DownloadConsent, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const pages = [...this.#pages];
    const stop = new AbortController();
    try {
      return await new Promise<boolean>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { signal: stop.signal });
        let reachablePages = pages.length;
        for (const page of pages) {
          page.ask(id, request).then(resolve, () => {
            // The page was closed.
            this.#pages.delete(page);
            reachablePages -= 1;
            if (reachablePages <= 0) resolve(false);
          });
        }
        if (pages.length === 0) resolve(false);
      });
    } finally {
      stop.abort();
      for (const page of pages) page.withdraw(id);
    }
  }
}
