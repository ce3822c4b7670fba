/** The executions that the processes of a cluster share: queued ones, those of other processes, and those of ended ones. */
import type { Cluster, Host } from '#core/host';
import type { ExecutionDetail, ExecutionSummary, RunState } from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { EngineEvents } from '../events.ts';
import { type ExecutionStore, isFinished } from './execution-store.ts';
import { ExecutionsElsewhere } from './executions-elsewhere.ts';
import { asQueued, QueuedExecutions } from './queued-executions.ts';
import type { ExecutionHandle, StartCall } from './start-call.ts';
import { type TakeOverParts, takeOver } from './take-over.ts';

interface SharedParts extends Pick<TakeOverParts, 'markCrashed' | 'startTimer'> {
  cluster: Cluster;
  store: ExecutionStore;
  host: Pick<Host, 'clock' | 'log'>;
  events: EngineEvents;
  settings: WebhookSettings;
  /** Runs an execution here. Resolves when it waits or has ended. */
  run(summary: ExecutionSummary, detail: ExecutionDetail): Promise<void>;
}

export class SharedExecutions {
  readonly #queue: QueuedExecutions;
  readonly #elsewhere: ExecutionsElsewhere;
  readonly #closing = new AbortController();
  #running = 0;

  constructor(private readonly parts: SharedParts) {
    this.#queue = new QueuedExecutions({ ...parts, maxQueued: parts.settings.maxQueued });
    this.#elsewhere = new ExecutionsElsewhere({ ...parts, closing: this.#closing.signal });
  }

  /**
   * Checks for another execution of the queue.
   * @throws ApiError 503 when the queue is full
   */
  requireCapacity(): Promise<void> {
    return this.#queue.requireCapacity();
  }

  /** Records an execution that any process may run. */
  start(call: StartCall, newSummary: ExecutionSummary, state: RunState): ExecutionHandle {
    const summary = asQueued(newSummary);
    const { id } = summary;
    const elsewhere = this.#elsewhere;
    const accepted = this.#queue.add(summary, state, call);
    // Nobody may be waiting: without this handler the rejection would count as unhandled.
    accepted.catch(() => undefined);
    return {
      id,
      accepted,
      // Most callers do not wait for the end.
      get done() {
        return elsewhere.end(id);
      },
      cancel: () => void this.cancel(summary).catch(() => {}),
    };
  }

  /** Adds an execution to the queue that should be in it. @returns whether it waits for that */
  enterAgain(summary: ExecutionSummary): boolean {
    if (summary.status !== 'new' || !summary.queued) return false;
    this.#queue.enter([summary]);
    return true;
  }

  /** How many executions of the queue run here. */
  get running(): number {
    return this.#running;
  }

  /** Runs an execution of the queue here, see `QueuedExecutions.take`. */
  async take(id: string): Promise<void> {
    this.#running++;
    try {
      await this.#queue.take(id);
    } finally {
      this.#running--;
    }
  }

  /**
   * Cancels an execution that another process runs, or none yet.
   * @returns whether it did
   * @throws ApiError 503 when that process does not answer
   */
  async cancel(summary: ExecutionSummary): Promise<boolean> {
    if (isFinished(summary)) return false;
    if (!summary.queued) return this.#elsewhere.cancel(summary);
    const canceled = await this.#queue.cancel(summary.id);
    if (canceled)
      this.parts.events.send({ type: 'executionFinished', execution: canceled, test: canceled.test });
    return canceled !== undefined;
  }

  /** Takes over the executions of processes that have ended. */
  takeOver(): Promise<void> {
    return takeOver({
      ...this.parts,
      repeat: (summary, detail) => this.#queue.repeat(summary, detail),
      restore: (waiting) => this.#queue.restore(waiting),
    });
  }

  close(): void {
    this.#closing.abort();
  }
}
