/** Executions that this process runs, and those whose wait is so short that their caller waits too. */
import { Deferred } from '#core/base';
import type { RecordChange } from '#core/host';
import type { ExecutionSummary, Workflow } from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import type { RunResult } from '../run/run-result.ts';
import type { ResponseSink } from '../run/run-services.ts';
import { emptyState } from '../run/run-state.ts';
import { RunCancelled } from '../run/runner.ts';
import type { StartCall } from './start-call.ts';

export class LiveExecution {
  responseSink: ResponseSink | undefined;
  /** Whether the store has a record of the execution. */
  isRecorded = false;
  readonly destination: string | undefined;
  /** Everything is recorded before the execution is accepted, so that it can be repeated after a crash. */
  readonly durable: boolean;
  /** Stored in one transaction with the start. */
  readonly storedWith: RecordChange[];
  readonly depth: number;
  readonly #controller = new AbortController();
  readonly #result = new Deferred<RunResult>();

  constructor(
    /** The current record. It is replaced, never changed. */
    public summary: ExecutionSummary,
    public workflow: Workflow,
    call: Partial<StartCall> = {},
  ) {
    this.responseSink = call.responseSink;
    this.destination = call.destination;
    this.durable = call.durable === true;
    this.storedWith = call.storedWith ?? [];
    this.depth = call.depth ?? 0;
  }

  get isWaiting(): boolean {
    return this.summary.status === 'waiting';
  }

  /** Aborts when the execution is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The end of the execution, or the begin of a long wait. Never rejects. */
  get done(): Promise<RunResult> {
    return this.#result.promise;
  }

  cancel(reason: RunCancelled = new RunCancelled()): void {
    this.#controller.abort(reason);
  }

  /** Called by `LiveExecutions`. */
  finish(result: RunResult): void {
    this.#result.resolve(result);
  }
}

export class LiveExecutions {
  readonly #byId = new Map<string, LiveExecution>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get(id: string): LiveExecution | undefined {
    return this.#byId.get(id);
  }

  add(summary: ExecutionSummary, workflow: Workflow, call?: Partial<StartCall>): LiveExecution {
    const live = new LiveExecution(summary, workflow, call);
    this.#byId.set(summary.id, live);
    return live;
  }

  /** The execution is no longer live, but its callers still wait for `finish`. */
  remove(live: LiveExecution): void {
    this.#byId.delete(live.summary.id);
  }

  /** Ends the wait of the execution's callers. */
  finish(live: LiveExecution, result: RunResult): void {
    this.remove(live);
    live.finish(result);
  }

  /** Reports a waiting execution as cancelled to its callers. Its record stays. */
  abandon(live: LiveExecution): void {
    this.finish(live, { status: 'canceled', state: emptyState(), error: errorRecord(new RunCancelled()) });
  }

  /** Resolves when no execution runs, or the signal aborts. Waiting executions do not count. */
  async settle(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      const running = [...this.#byId.values()].filter(({ isWaiting }) => !isWaiting);
      if (running.length === 0) return;
      await Promise.race([aborted, ...running.map(({ done }) => done)]);
    }
  }

  /** Cancels what runs, and abandons what waits. */
  close(): void {
    this.#isClosed = true;
    for (const live of [...this.#byId.values()]) {
      if (live.isWaiting) this.abandon(live);
      else live.cancel(new RunCancelled('The server is closing'));
    }
  }
}
