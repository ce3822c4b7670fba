import type { Host, LoadOptions } from '#core/host';
import type { InstalledModel } from '../base/installed-model.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { canonicalName } from '../registry/names/model-name.ts';

interface Pin {
  options: LoadOptions;
}

/** The models that a request asked to keep forever: written down, so that a restart or another tab loads them again. */
export class Pins {
  readonly #records;

  constructor(readonly host: Host) {
    this.#records = host.records.collection<Pin>('pins');
  }

  /** `options` undefined: no longer. Never fails: what cannot be written is logged. */
  async set(model: InstalledModel, options: LoadOptions | undefined): Promise<void> {
    const key = canonicalName(model.name);
    try {
      if (options) await this.#records.put(key, { options });
      else await this.#records.delete(key);
    } catch (error) {
      this.host.log.warn('cannot remember which models are to stay loaded', {
        cause: (error as Error).message,
      });
    }
  }

  /** Those that are still installed; the others are forgotten. Never fails. */
  async list(registry: ModelRegistry): Promise<{ model: InstalledModel; options: LoadOptions }[]> {
    const pinned: { model: InstalledModel; options: LoadOptions }[] = [];
    try {
      for (const { key, doc } of await this.#records.list()) {
        const model = await registry.find(registry.parse(key));
        if (model) pinned.push({ model, options: doc.options });
        else await this.#records.delete(key);
      }
    } catch (error) {
      this.host.log.warn('cannot read which models are to stay loaded', { cause: (error as Error).message });
    }
    return pinned;
  }
}
