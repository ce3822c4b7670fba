import type { Host } from '#core/host';

/** Downloads above this many bytes are asked about, unless `TABD_CONSENT_ABOVE` says otherwise. */
const usual = 256 * 1024 * 1024;

/** A person said no. */
export class Declined extends Error {
  override name = 'Declined';
}

/** Asks once a pull whether so large a download is wanted; throws `Declined`. */
export class Consent {
  #given = false;

  constructor(
    private readonly host: Pick<Host, 'consent' | 'setting'>,
    private readonly model: string,
    private readonly licence: string | undefined,
  ) {}

  async ask(bytes: number, signal: AbortSignal): Promise<void> {
    const set = Number(this.host.setting('TABD_CONSENT_ABOVE')?.trim() || Number.NaN);
    if (this.#given || bytes <= (set >= 0 ? set : usual)) return;
    const request = { model: this.model, bytes, ...(this.licence ? { licence: this.licence } : {}) };
    if (!(await this.host.consent(request, signal))) {
      throw new Declined(`the download of ${this.model} (${bytes} bytes) was declined`);
    }
    this.#given = true;
  }
}
