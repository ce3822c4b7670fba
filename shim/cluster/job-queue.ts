/** The queue of webhook work: calls whose callers wait at a door, and stored executions. */
import { Queue } from 'bullmq';
import type { QueuedExecution } from '#core/host';
import type { ClusterConnection } from './cluster-connection.ts';

export const JOB_QUEUE = 'webhook-calls';
/** The beginning of the keys of the queue in Redis. */
export const QUEUE_PREFIX = 'tabd';

/** A call that waits at a door, or an execution that is on record. */
export type WebhookJob = { door: string } | { execution: string };

/** Failed jobs that stay for people to look at. */
const KEPT_FAILURES = 1000;
/** Milliseconds for which a length counts. */
const LENGTH_AGE = 1000;

/** Adds jobs, and counts them. */
export class JobQueue {
  readonly bull: Queue<WebhookJob>;
  /** Null: no limit. Undefined: this process sets none. */
  #limit: number | null | undefined;
  #length: { at: number; value: Promise<number> } | undefined;

  constructor(cluster: ClusterConnection) {
    this.bull = new Queue<WebhookJob>(JOB_QUEUE, {
      connection: cluster.redis as never,
      prefix: QUEUE_PREFIX,
    });
    this.bull.on('error', () => {});
    // Redis may come back without its data.
    cluster.redis.on('ready', () => {
      if (this.#limit !== undefined) this.#applyLimit(this.#limit).catch(() => {});
    });
  }

  /** Adds a call. The worker that has room offers itself to the door. */
  async addCall(ticket: string, door: string): Promise<void> {
    await this.bull.add(
      'call',
      { door },
      { jobId: ticket, removeOnComplete: true, removeOnFail: KEPT_FAILURES },
    );
  }

  /** Adds executions. One that is in the queue stays where it is. */
  async addExecutions(entries: readonly QueuedExecution[]): Promise<void> {
    await this.bull.addBulk(
      entries.map(({ id, takeovers }) => ({
        name: 'run',
        data: { execution: id },
        // A failed job would keep the execution from being added again. Its record says what became of it.
        opts: { jobId: `run-${id}-${takeovers}`, removeOnComplete: true, removeOnFail: true },
      })),
    );
  }

  /** How many jobs wait. Up to a second old. */
  async length(): Promise<number> {
    const now = performance.now();
    if (!this.#length || now - this.#length.at > LENGTH_AGE)
      this.#length = { at: now, value: this.bull.getWaitingCount() };
    return this.#length.value;
  }

  /** Limits how many jobs all workers do at once. Undefined: no limit but that of each worker. */
  async limit(atOnce: number | undefined): Promise<void> {
    this.#limit = atOnce ?? null;
    await this.#applyLimit(this.#limit);
  }

  async #applyLimit(atOnce: number | null): Promise<void> {
    if (atOnce === null) await this.bull.removeGlobalConcurrency();
    else await this.bull.setGlobalConcurrency(atOnce);
  }

  close(): Promise<void> {
    return this.bull.close();
  }
}
