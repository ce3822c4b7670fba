/** Deletes finished runs that are too old or too many. */
import type { Clock, Log } from '#core/host';
import type { ExecutionSummary } from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import { type ExecutionStore, isOver } from './execution-store.ts';

/** Finished runs between two looks. */
const LOOK_EVERY = 200;
const HOUR = 3_600_000;
/** Deleted in one go. */
const AT_ONCE = 500;

export class Pruner {
  #since = 0;
  /** Runs on record that are over, as far as is known: counted once, then kept up to date. */
  #stored: number | undefined;
  #running: Promise<void> | undefined;
  #cancel: () => void;

  constructor(
    private readonly store: ExecutionStore,
    private readonly settings: Pick<WebhookSettings, 'kept' | 'keptFor'>,
    private readonly parts: { clock: Clock; log: Log; forget(execution: ExecutionSummary): Promise<void> },
  ) {
    this.#cancel = this.#later();
  }

  /** A run has ended. */
  count(isKept: boolean): void {
    if (isKept && this.#stored !== undefined) this.#stored++;
    if (++this.#since >= LOOK_EVERY) void this.prune();
  }

  /** Runs were deleted by others: they are counted again. */
  recount(): void {
    this.#stored = undefined;
  }

  prune(): Promise<void> {
    this.#since = 0;
    this.#running ??= this.#prune()
      .catch((error: unknown) => this.parts.log.warn('webhooks: pruning failed', { error: String(error) }))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  close(): void {
    this.#cancel();
  }

  async #prune(): Promise<void> {
    const { kept, keptFor } = this.settings;
    if (keptFor !== undefined) {
      for (;;) {
        const to = this.parts.clock.now() - keptFor;
        const old = await this.store.list({ index: 'startedAt', to, limit: AT_ONCE });
        if ((await this.#forget(old)) === 0) break;
      }
    }
    if (kept === undefined) return;
    this.#stored ??= await this.store.count();
    let from = 0;
    while (this.#stored !== undefined && this.#stored > kept) {
      const oldest = await this.store.list({ index: 'number', from, limit: AT_ONCE });
      const last = oldest.at(-1);
      if (!last) break;
      from = last.number + 1;
      await this.#forget(oldest, this.#stored - kept);
    }
  }

  /** How many went. Runs that are not over stay. */
  async #forget(executions: ExecutionSummary[], most = executions.length): Promise<number> {
    const over = executions.filter(isOver).slice(0, most);
    // Together, so that the store can delete them in one go.
    await Promise.all(
      over.map(async (execution) => {
        await this.parts.forget(execution);
        if (this.#stored !== undefined) this.#stored--;
      }),
    );
    return over.length;
  }

  #later(): () => void {
    return this.parts.clock.after(HOUR, () => {
      this.recount();
      void this.prune();
      this.#cancel = this.#later();
    });
  }
}
