/** Deletes finished runs that are too old or too many. */
import type { Clock, Log } from '../../host/host.ts';
import type { WorkflowSettings } from '../settings.ts';
import type { ExecutionStore } from './store.ts';
import type { ExecutionSummary } from './types.ts';

/** Finished runs between two looks. */
const LOOK_EVERY = 200;
const HOUR = 3_600_000;
/** Deleted in one go. */
const AT_ONCE = 500;

export class Pruner {
  #since = 0;
  #running: Promise<void> | undefined;
  #cancel: () => void;

  constructor(
    private readonly store: ExecutionStore,
    private readonly settings: Pick<WorkflowSettings, 'kept' | 'keptFor'>,
    private readonly parts: { clock: Clock; log: Log; forget(execution: ExecutionSummary): Promise<void> },
  ) {
    this.#cancel = this.#later();
  }

  /** A run has ended. */
  count(): void {
    if (++this.#since >= LOOK_EVERY) void this.prune();
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
    // Numbers without holes give the count; where there are holes, one look at all tells.
    const [[newest], [oldest]] = await Promise.all([
      this.store.list({ index: 'number', reverse: true, limit: 1 }),
      this.store.list({ index: 'number', limit: 1 }),
    ]);
    if (!newest || !oldest || newest.number - oldest.number < kept) return;
    const all = await this.store.list({ index: 'number' });
    await this.#forget(all.slice(0, Math.max(0, all.length - kept)));
  }

  /** How many went. Runs that are not over stay. */
  async #forget(executions: ExecutionSummary[]): Promise<number> {
    const over = executions.filter(({ status }) => !/^(new|running|waiting)$/.test(status));
    for (const execution of over) await this.parts.forget(execution);
    return over.length;
  }

  #later(): () => void {
    return this.parts.clock.after(HOUR, () => {
      void this.prune();
      this.#cancel = this.#later();
    });
  }
}
