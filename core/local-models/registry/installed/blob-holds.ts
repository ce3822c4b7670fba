import type { Digest } from '#core/host';
import type { InstalledModels } from './installed-models.ts';

/** Blobs that must not be deleted although no installed model has them yet. Ends with `release`. */
export class BlobHolds {
  readonly #releases: (() => void)[] = [];

  constructor(private readonly models: InstalledModels) {}

  readonly hold = (digest: Digest): void => {
    this.#releases.push(this.models.holdBlob(digest));
  };

  /** Releases all of them. Further calls do nothing. */
  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }
}
