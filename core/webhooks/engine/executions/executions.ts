/** Starts, resumes, repeats and cancels executions of workflows. README.md shows the states of an execution. */
import { sleep } from '#core/base';
import { ApiError } from '#core/http';
import type { ExecutionDetail, ExecutionSummary, RunState, Workflow } from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import { emptyState, startAt } from '../run/run-state.ts';
import { toState } from './execution-detail.ts';
import { ExecutionQueue, type QueueTicket } from './execution-queue.ts';
import { type ExecutionFilter, ExecutionRecords } from './execution-records.ts';
import { ExecutionRunner, failedRun, maySucceedLater, type RunnerParts } from './execution-runner.ts';
import { type LiveExecution, LiveExecutions } from './live-executions.ts';
import { retryState } from './retry-state.ts';
import { SharedExecutions } from './shared-executions.ts';
import type { ExecutionHandle, StartCall, WaitingExecution } from './start-call.ts';
import { WaitTimers } from './wait-timers.ts';
import { type ResumeCall, WaitingExecutions } from './waiting-executions.ts';

interface ExecutionsParts extends RunnerParts {
  /** Deletes what else belongs to a deleted execution. */
  onDeleted(executionId: string): Promise<void>;
}

/** Milliseconds between two attempts to record that an execution starts. */
const START_PAUSE = 5000;
/** Milliseconds that executions have to end when the server closes. */
const CLOSING_TIME = 2000;

export class Executions {
  readonly #live = new LiveExecutions();
  readonly #records: ExecutionRecords;
  readonly #timers: WaitTimers;
  readonly #runner: ExecutionRunner;
  readonly #queue: ExecutionQueue;
  readonly #waiting: WaitingExecutions;
  /** Those that the processes of a cluster share. Undefined outside of a cluster. */
  readonly shared: SharedExecutions | undefined;

  constructor(private readonly parts: ExecutionsParts) {
    const { settings, host } = parts;
    const { cluster } = host;
    this.shared =
      cluster &&
      new SharedExecutions({
        ...{ ...parts, cluster },
        run: (summary, detail) => this.#runQueued(summary, detail),
        markCrashed: (summary) => this.#markCrashed(summary),
        startTimer: (id, at) => this.#timers.add(id, at),
      });
    this.#queue = new ExecutionQueue(settings.maxRunning, settings.maxQueued);
    this.#records = new ExecutionRecords(parts, this.#live);
    this.#timers = new WaitTimers(host.clock, (id) => void this.#waiting.resumeOnTime(id));
    this.#runner = new ExecutionRunner(parts, this.#live, this.#records, this.#timers);
    this.#waiting = new WaitingExecutions({
      host,
      store: parts.store,
      services: parts.services,
      live: this.#live,
      records: this.#records,
      timers: this.#timers,
      runner: this.#runner,
    });
  }

  /**
   * After a start of the server: marks the executions of the former one as crashed, and starts timers of waits. In a
   * cluster it takes over the executions of processes that have ended, and may be called at any time.
   */
  async recover(): Promise<void> {
    if (this.shared) return this.shared.takeOver();
    const { store } = this.parts;
    for (const status of ['new', 'running'] as const) {
      // At once: there may be thousands, and stores can write them together.
      const interrupted = await store.list({ index: 'status', equals: status });
      await Promise.all(interrupted.map((execution) => this.#markCrashed(execution)));
    }
    for (const { id, waitTill } of await store.list({ index: 'status', equals: 'waiting' })) {
      if (waitTill !== undefined) this.#timers.add(id, waitTill);
    }
  }

  /** The id of an execution that may be started. Files can be stored for it before. */
  async reserve(): Promise<string> {
    return String(await this.parts.store.nextNumber());
  }

  /** Executions of calls and schedules: how many run, and how many wait in the queue. */
  get load(): { running: number; waiting: number } {
    const { running, waiting } = this.#queue.load;
    return { running: running + (this.shared?.running ?? 0), waiting };
  }

  /**
   * Checks for another call before its body is read.
   * @throws ApiError 503 when the queue is full
   */
  requireCapacity(): void {
    this.#requireOpen();
    this.#queue.requireCapacity();
  }

  /** @throws ApiError 503 when the queue is full */
  async start(call: StartCall): Promise<ExecutionHandle> {
    this.#requireOpen();
    if (call.anywhere && this.shared) {
      await this.shared.requireCapacity();
      const number = call.id === undefined ? await this.parts.store.nextNumber() : Number(call.id);
      const state = startAt(call.node, call.output, call.input);
      return this.shared.start(call, this.#newSummary(call, number), state);
    }
    // An execution that belongs to another one must not queue: they would wait for each other.
    const isQueued = call.mode === 'webhook' || call.mode === 'trigger';
    const ticket = isQueued ? this.#queue.ticket() : undefined;
    try {
      const number = call.id === undefined ? await this.parts.store.nextNumber() : Number(call.id);
      return this.#launch(call, number, startAt(call.node, call.output, call.input), ticket);
    } catch (error) {
      ticket?.leave();
      throw error;
    }
  }

  /** Records an execution that could not start, so that the workflow's author sees why. */
  async refuse(call: StartCall, error: Error): Promise<void> {
    if (this.#live.isClosed) return;
    const summary = this.#newSummary(call, await this.parts.store.nextNumber());
    const live = this.#live.add(summary, call.workflow, call);
    const state = { ...emptyState(), lastNode: call.node };
    await this.#runner.record(live, { status: 'error', state, error: errorRecord(error, call.node) });
  }

  /** @throws ApiError 404 if there is no such execution, 409 if it does not wait */
  waiting(id: string): Promise<WaitingExecution> {
    return this.#waiting.find(id);
  }

  /**
   * Resumes a waiting execution.
   * @throws ApiError 404 or 409 as `waiting` does, 503 if the server closes
   */
  async resume(id: string, call: ResumeCall = {}): Promise<ExecutionHandle> {
    this.#requireOpen();
    return this.#waiting.resume(id, call);
  }

  /**
   * Repeats a failed execution from the node that failed, or from its start if it crashed before.
   * @param workflow the current workflow, instead of the recorded one
   * @throws ApiError 404, or 409 if it did not fail or nothing is left to start from
   */
  async retry(id: string, workflow?: Workflow): Promise<ExecutionHandle> {
    const { store } = this.parts;
    const { summary, detail } = await this.#records.require(id);
    if (!/^(error|crashed|canceled)$/.test(summary.status)) {
      throw new ApiError(
        409,
        `The execution ${id} ended with "${summary.status}": only failed ones can be run again`,
      );
    }
    const retried = workflow ?? detail.workflowData;
    const state = retryState(detail, retried);
    if (!state) throw new ApiError(409, `Of the execution ${id} nothing is left to start from`);
    const number = await store.nextNumber();
    const call: StartCall = { workflow: retried, mode: 'retry', node: '', retryOf: id, durable: true };
    const handle = this.#launch(call, number, state);
    void handle.done.then(async ({ status }) => {
      const original = await store.summary(id);
      if (status === 'success' && original) {
        await store.putSummary({ ...original, retrySuccessId: handle.id });
      }
    });
    return handle;
  }

  /** @returns whether it ran in this process, and is cancelled */
  cancelHere(id: string): boolean {
    const live = this.#live.get(id);
    if (!live || live.isWaiting) return false;
    live.cancel();
    return true;
  }

  /** @returns whether it was running or waiting, in this process or in another one */
  async cancel(id: string): Promise<boolean> {
    const { store, events, host } = this.parts;
    if (this.cancelHere(id)) return true;
    const live = this.#live.get(id);
    const summary = await store.summary(id);
    if (!summary) return false;
    if (summary.status !== 'waiting') return (await this.shared?.cancel(summary)) ?? false;
    this.#timers.remove(id);
    const { waitTill: _over, ...rest } = summary;
    const canceled: ExecutionSummary = {
      ...rest,
      status: 'canceled',
      stoppedAt: Math.floor(host.clock.now()),
    };
    await store.putSummary(canceled);
    if (live) this.#live.abandon(live);
    events.send({ type: 'executionFinished', execution: canceled, test: canceled.test });
    return true;
  }

  /** The stored executions, newest first. */
  list(filter: ExecutionFilter = {}): Promise<ExecutionSummary[]> {
    return this.#records.list(filter);
  }

  get(id: string): ReturnType<ExecutionRecords['get']> {
    return this.#records.get(id);
  }

  /** Cancels the execution and deletes its records and files. */
  async delete(id: string): Promise<boolean> {
    await this.cancel(id);
    this.#timers.remove(id);
    return this.#records.delete(id);
  }

  /** Deletes finished executions that are too old or too many now. */
  prune(): Promise<void> {
    return this.#records.prune();
  }

  /** Resolves when no execution runs, or the signal aborts. Waiting executions do not count. */
  settle(signal: AbortSignal): Promise<void> {
    return this.#live.settle(signal);
  }

  /** Cancels what runs. The next start marks what does not end in time as crashed, and resumes what waits. */
  async close(): Promise<void> {
    this.shared?.close();
    this.#records.close();
    this.#timers.close();
    this.#live.close();
    const end = new AbortController();
    const stop = this.parts.host.clock.after(CLOSING_TIME, () => end.abort());
    await this.settle(end.signal);
    stop();
    await this.#runner.close();
  }

  #launch(call: StartCall, number: number, state: RunState, ticket?: QueueTicket): ExecutionHandle {
    const summary = this.#newSummary(call, number);
    const live = this.#live.add(summary, call.workflow, call);
    const cancel = () => live.cancel();
    if (call.signal?.aborted) cancel();
    call.signal?.addEventListener('abort', cancel, { once: true });
    const done = live.done.finally(() => call.signal?.removeEventListener('abort', cancel));
    const accepted = this.#records.saveStart(live, state);
    // Nobody may be waiting: without this handler the rejection would count as unhandled.
    accepted.catch(() => undefined);
    void this.#enter(live, state, accepted, ticket);
    return { id: summary.id, accepted, done, cancel };
  }

  /** Runs an execution that this process has taken from the queue. Resolves when it waits or has ended. */
  #runQueued(summary: ExecutionSummary, detail: ExecutionDetail): Promise<void> {
    const live = this.#live.add(summary, detail.workflowData, { durable: true });
    return this.#enter(live, toState(detail)!, Promise.resolve());
  }

  async #enter(
    live: LiveExecution,
    state: RunState,
    accepted: Promise<void>,
    ticket?: QueueTicket,
  ): Promise<void> {
    try {
      await accepted;
      live.isRecorded = true;
      await ticket?.enter(live.signal);
      if (live.summary.status === 'new') await this.#recordRunning(live);
      const { summary } = live;
      this.parts.events.send({ type: 'executionStarted', execution: summary, test: summary.test });
      await this.#runner.run(live, state);
    } catch (error) {
      await this.#runner.record(live, failedRun(live, state, error));
    } finally {
      ticket?.leave();
    }
  }

  /** From here on, nodes may have run. An accepted execution that nobody waits for runs when the storage has room. */
  async #recordRunning(live: LiveExecution): Promise<void> {
    const running: ExecutionSummary = { ...live.summary, status: 'running' };
    for (;;) {
      try {
        await this.parts.store.putSummary(running);
        live.summary = running;
        return;
      } catch (error) {
        if (!live.durable || !maySucceedLater(error)) throw error;
      }
      await sleep(this.parts.host.clock, START_PAUSE, live.signal);
    }
  }

  /** A call may have started or ended the execution since the list was read: then nothing changes. */
  async #markCrashed(execution: ExecutionSummary): Promise<void> {
    const { store, host } = this.parts;
    if (this.#live.get(execution.id)) return;
    if ((await store.summary(execution.id))?.status !== execution.status) return;
    await store.putSummary({
      ...execution,
      status: 'crashed',
      stoppedAt: Math.floor(host.clock.now()),
    });
  }

  #newSummary(call: StartCall, number: number): ExecutionSummary {
    const { cluster, clock, tracing } = this.parts.host;
    const traceparent = tracing?.current();
    return {
      id: String(number),
      number,
      workflowId: call.workflow.id,
      workflowName: call.workflow.name,
      mode: call.mode,
      // In a cluster, other processes must know whether a node may have run.
      status: cluster ? 'new' : 'running',
      finished: false,
      test: call.test === true,
      startedAt: Math.floor(clock.now()),
      ...(cluster && { process: cluster.process }),
      ...(call.retryOf !== undefined && { retryOf: call.retryOf }),
      ...(traceparent !== undefined && { traceparent }),
    };
  }

  #requireOpen(): void {
    if (this.#live.isClosed) throw new ApiError(503, 'The server is closing');
  }
}
