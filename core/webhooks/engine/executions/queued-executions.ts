/** Executions of a cluster that are on record, and run on the first process with room. */
import { errorMessage } from '#core/base';
import type { Cluster, Host } from '#core/host';
import { ApiError } from '#core/http';
import type { ExecutionDetail, ExecutionSummary, RunState } from '#core/workflow-format';
import { toDetail } from './execution-detail.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { StartCall } from './start-call.ts';

/** Milliseconds for which an execution waits before its entry is added to the queue once more. */
const RESTORE_AFTER = 15_000;

interface QueuedParts {
  cluster: Cluster;
  store: ExecutionStore;
  host: Pick<Host, 'log' | 'clock'>;
  maxQueued: number;
  /** Runs the execution here. Resolves when it waits or has ended. */
  run(summary: ExecutionSummary, detail: ExecutionDetail): Promise<void>;
}

export class QueuedExecutions {
  /** When this process saw that an execution waits: milliseconds of its clock. */
  readonly #seen = new Map<string, number>();

  constructor(private readonly parts: QueuedParts) {}

  /**
   * Checks for another execution.
   * @throws ApiError 503 when the queue is full
   */
  async requireCapacity(): Promise<void> {
    if ((await this.parts.cluster.queueLength()) < this.parts.maxQueued) return;
    throw new ApiError(503, 'There are too many calls waiting for their turn. Try again in a moment.');
  }

  /** Records the start, and adds the execution to the queue. Resolves when it is on record. */
  async add(
    summary: ExecutionSummary,
    state: RunState,
    { workflow, storedWith }: Pick<StartCall, 'workflow' | 'storedWith'>,
  ): Promise<void> {
    await this.parts.store.put(summary, toDetail(workflow, state), storedWith);
    this.enter([summary]);
  }

  /** The record of an execution that any process may run, from the one that an ended process left. */
  async repeat(summary: ExecutionSummary, detail: ExecutionDetail): Promise<void> {
    const queued = asQueued(summary);
    await this.parts.store.put(queued, detail);
    this.enter([queued]);
  }

  /**
   * Runs an execution of the queue on this process. Resolves when it waits or has ended, and at once when another process
   * has it, or it was cancelled.
   */
  async take(id: string): Promise<void> {
    const { cluster, store } = this.parts;
    const release = await cluster.claim(`execution ${id}`);
    if (!release) return;
    let started: Promise<void> | undefined;
    try {
      const [summary, detail] = await Promise.all([store.summary(id), store.detail(id)]);
      if (summary?.status !== 'new' || !summary.queued || !detail) return;
      const { queued: _taken, ...rest } = summary;
      const running: ExecutionSummary = { ...rest, status: 'running', process: cluster.process };
      await store.putSummary(running);
      started = this.parts.run(running, detail);
    } finally {
      await release();
    }
    await started;
  }

  /** @returns the record of the cancelled execution. Undefined: it does not wait in the queue any more */
  async cancel(id: string): Promise<ExecutionSummary | undefined> {
    const { cluster, store, host } = this.parts;
    const release = await cluster.claim(`execution ${id}`);
    // The process that has it is about to run it.
    if (!release) return undefined;
    try {
      const summary = await store.summary(id);
      if (summary?.status !== 'new' || !summary.queued) return undefined;
      const { queued: _left, ...rest } = summary;
      const canceled: ExecutionSummary = {
        ...rest,
        status: 'canceled',
        stoppedAt: Math.floor(host.clock.now()),
      };
      await store.putSummary(canceled);
      return canceled;
    } finally {
      await release();
    }
  }

  /** Adds those entries again that wait for long: the queue may have lost them. Called with all that wait, again and again. */
  restore(waiting: readonly ExecutionSummary[]): void {
    const now = this.parts.host.clock.now();
    const ids = new Set(waiting.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    const late = waiting.filter(({ id }) => {
      const seen = this.#seen.get(id) ?? now;
      const isLate = now - seen >= RESTORE_AFTER;
      this.#seen.set(id, isLate ? now : seen);
      return isLate;
    });
    if (late.length > 0) this.enter(late);
  }

  /** Adds executions to the queue. One that is away does no harm: the leader adds them later. */
  enter(summaries: readonly ExecutionSummary[]): void {
    const entries = summaries.map(({ id, takeovers = 0 }) => ({ id, takeovers }));
    this.parts.cluster.queueExecutions(entries).catch((error) =>
      this.parts.host.log.warn('webhooks: executions wait outside of the queue', {
        error: errorMessage(error),
      }),
    );
  }
}

/** The record of an execution that waits for a process. */
export function asQueued({ process: _former, ...summary }: ExecutionSummary): ExecutionSummary {
  return { ...summary, status: 'new', queued: true };
}
