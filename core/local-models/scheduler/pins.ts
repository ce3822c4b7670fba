import { errorMessage } from '#core/base';
import type { Host, LoadOptions } from '#core/host';
import type { InstalledModel } from '../base/installed-model.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { canonicalName } from '../registry/names/model-name.ts';

interface Pin {
  options: LoadOptions;
}

/** Stores which models a request asked to keep loaded forever, so that a later process or tab loads them again. */
export class Pins {
  readonly #records;

  constructor(readonly host: Host) {
    this.#records = host.records.collection<Pin>('pins');
  }

  /** Pins a model with the options to load it with, or removes its pin. Never rejects: a failed write is logged. */
  async set(model: InstalledModel, options: LoadOptions | undefined): Promise<void> {
    const key = canonicalName(model.name);
    try {
      if (options) await this.#records.put(key, { options });
      else await this.#records.delete(key);
    } catch (error) {
      this.host.log.warn('the list of pinned models could not be written', {
        cause: errorMessage(error),
      });
    }
  }

  /** Returns the pinned models that are still installed, and removes the other pins. Never rejects. */
  async list(registry: ModelRegistry): Promise<{ model: InstalledModel; options: LoadOptions }[]> {
    const pinned: { model: InstalledModel; options: LoadOptions }[] = [];
    try {
      for (const { key, doc } of await this.#records.list()) {
        const model = await registry.find(registry.parse(key));
        if (model) pinned.push({ model, options: doc.options });
        else await this.#records.delete(key);
      }
    } catch (error) {
      this.host.log.warn('the list of pinned models could not be read', { cause: errorMessage(error) });
    }
    return pinned;
  }
}
