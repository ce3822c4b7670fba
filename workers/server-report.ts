import type { Battery, ServerReport } from '#core/frames';
import type { Machine } from '#core/host';
import type { ModelRegistry, TextService } from '#core/local-models';

/** Milliseconds for which the list of installed models counts as current. */
const LIST_AGE = 2000;

export interface ServerReporterParts {
  registry: Pick<ModelRegistry, 'list' | 'display'>;
  text: Pick<TextService, 'loaded'>;
  machine: Pick<Machine, 'cores' | 'memoryTotal' | 'gpus'>;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
}

/** Keeps the facts about this server by which a shim with several tabs chooses one. */
export class ServerReporter {
  /** The battery of the device, as a page reports it. Workers cannot read it. */
  battery: Battery | undefined;
  #models: string[] | undefined;
  #device: string | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  constructor(private readonly parts: ServerReporterParts) {
    this.#now = parts.now ?? (() => performance.now());
  }

  /** The facts that are known now. An old list of models is read again for the next call. */
  report(): ServerReport {
    const { machine, text } = this.parts;
    this.#refresh();
    return {
      cores: machine.cores,
      loaded: text.loaded().map(({ name }) => name),
      ...(this.#device && { device: this.#device }),
      ...(machine.memoryTotal && { memory: machine.memoryTotal }),
      ...(this.battery && { battery: this.battery }),
      ...(this.#models && { models: this.#models }),
    };
  }

  #refresh(): void {
    if (this.#now() - this.#listedAt < LIST_AGE) return;
    const isFirst = this.#listedAt === Number.NEGATIVE_INFINITY;
    this.#listedAt = this.#now();
    // Without a list, the shim asks this tab for no model. The next call tries again.
    void this.#readModels().catch(() => {});
    if (isFirst) void this.#readDevice().catch(() => {});
  }

  async #readModels(): Promise<void> {
    const { registry } = this.parts;
    this.#models = (await registry.list()).map(({ name }) => registry.display(name));
  }

  async #readDevice(): Promise<void> {
    const [gpu] = await this.parts.machine.gpus();
    this.#device = gpu?.name ?? 'CPU';
  }
}
