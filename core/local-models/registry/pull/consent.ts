import type { Host } from '#core/host';

/** Larger downloads need consent, in bytes. The setting `TABD_CONSENT_ABOVE` overrides it. */
const DEFAULT_LIMIT = 256 * 1024 * 1024;

/** The person declined the download. */
export class ConsentDeclined extends Error {
  override name = 'Declined';
}

/** Asks a person for consent to a large download, once for each pull. */
export class Consent {
  #isGranted = false;

  constructor(
    private readonly host: Pick<Host, 'consent' | 'setting'>,
    private readonly model: string,
    private readonly licence: string | undefined,
  ) {}

  /**
   * Asks unless consent was granted already, or the download is small.
   * @throws ConsentDeclined, or the reason of `signal`
   */
  async ask(bytes: number, signal: AbortSignal): Promise<void> {
    const limit = Number(this.host.setting('TABD_CONSENT_ABOVE')?.trim() || Number.NaN);
    if (this.#isGranted || bytes <= (limit >= 0 ? limit : DEFAULT_LIMIT)) return;
    const request = { model: this.model, bytes, ...(this.licence ? { licence: this.licence } : {}) };
    if (!(await this.host.consent(request, signal))) {
      throw new ConsentDeclined(`the download of ${this.model} (${bytes} bytes) was declined`);
    }
    this.#isGranted = true;
  }
}
