import type { DownloadConsent } from '#core/host';
import type { ConsentPage } from '#relay';

/** Asks all pages that can ask their person; the first answer counts, and the questions elsewhere are withdrawn. */
export class Consents {
  readonly #pages = new Set<ConsentPage>();
  #nextId = 1;

  add(page: ConsentPage): void {
    this.#pages.add(page);
  }

  /** False when nobody can be asked. Rejects with the signal's reason. */
  async ask(request: DownloadConsent, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const pages = [...this.#pages];
    const stop = new AbortController();
    try {
      return await new Promise<boolean>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { signal: stop.signal });
        let left = pages.length;
        const none = () => {
          if (--left <= 0) resolve(false);
        };
        for (const page of pages) {
          page.ask(id, request).then(resolve, () => {
            // A page that cannot be asked any more.
            this.#pages.delete(page);
            none();
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
