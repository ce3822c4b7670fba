/** Deletes finished executions that are too old or too many. */
import type { Clock, Log } from '#core/host';
import type { ExecutionSummary } from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import { type ExecutionStore, isFinished } from './execution-store.ts';

/** Executions that finish between two checks. */
const CHECK_EVERY = 200;
/** Milliseconds between two checks, if fewer executions finish. */
const HOUR = 3_600_000;
/** Executions that are listed and deleted together. */
const BATCH = 500;

export class Pruner {
  #finishedSinceCheck = 0;
  /** Finished executions on record. Counted at the first check, then updated; undefined while the number is unknown. */
  #saved: number | undefined;
  #pruning: Promise<void> | undefined;
  #stopTimer: () => void;

  constructor(
    private readonly store: ExecutionStore,
    private readonly limits: Pick<WebhookSettings, 'maxSaved' | 'maxAge'>,
    private readonly parts: { clock: Clock; log: Log; delete(execution: ExecutionSummary): Promise<void> },
  ) {
    this.#stopTimer = this.#startTimer();
  }

  /** Counts an execution that finished. */
  count(isSaved: boolean): void {
    if (isSaved && this.#saved !== undefined) this.#saved++;
    if (++this.#finishedSinceCheck >= CHECK_EVERY) void this.prune();
  }

  /** Others deleted executions: the next check counts again. */
  recount(): void {
    this.#saved = undefined;
  }

  /** A call during a check waits for that check. Failures are logged. */
  prune(): Promise<void> {
    this.#finishedSinceCheck = 0;
    this.#pruning ??= this.#prune()
      .catch((error: unknown) => this.parts.log.warn('webhooks: pruning failed', { error: String(error) }))
      .finally(() => {
        this.#pruning = undefined;
      });
    return this.#pruning;
  }

  close(): void {
    this.#stopTimer();
  }

  async #prune(): Promise<void> {
    const { maxSaved, maxAge } = this.limits;
    if (maxAge !== undefined) await this.#deleteOlderThan(maxAge);
    if (maxSaved !== undefined) await this.#deleteAbove(maxSaved);
  }

  async #deleteOlderThan(milliseconds: number): Promise<void> {
    for (;;) {
      const to = this.parts.clock.now() - milliseconds;
      const old = await this.store.list({ index: 'startedAt', to, limit: BATCH });
      if ((await this.#delete(old)) === 0) return;
    }
  }

  /** Executions that finish meanwhile are left to the next check: a list for each few of them would cost too much. */
  async #deleteAbove(count: number): Promise<void> {
    this.#saved ??= await this.store.count();
    let excess = this.#saved - count;
    let from = 0;
    while (excess > 0) {
      const oldest = await this.store.list({ index: 'number', from, limit: Math.min(excess, BATCH) });
      const last = oldest.at(-1);
      if (!last) break;
      from = last.number + 1;
      excess -= await this.#delete(oldest);
    }
  }

  /** Deletes the finished ones among `executions`. Returns how many. */
  async #delete(executions: ExecutionSummary[]): Promise<number> {
    const finished = executions.filter(isFinished);
    // At once, so that the store can delete them together.
    await Promise.all(
      finished.map(async (execution) => {
        await this.parts.delete(execution);
        if (this.#saved !== undefined) this.#saved--;
      }),
    );
    return finished.length;
  }

  #startTimer(): () => void {
    return this.parts.clock.after(HOUR, () => {
      this.recount();
      void this.prune();
      this.#stopTimer = this.#startTimer();
    });
  }
}
