/** Starts, resumes, repeats and cancels executions of workflows. README.md shows the states of an execution. */
import { ApiError } from '#core/http';
import type {
  ExecutionDetail,
  ExecutionSummary,
  NodeOutput,
  RunState,
  Workflow,
} from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import type { ResponseSink } from '../run/run-services.ts';
import { emptyState, endWait, startAt } from '../run/run-state.ts';
import { toDetail, toState } from './execution-detail.ts';
import { ExecutionQueue, type QueueTicket } from './execution-queue.ts';
import { type ExecutionFilter, ExecutionRecords } from './execution-records.ts';
import { ExecutionRunner, type RunnerParts } from './execution-runner.ts';
import { type LiveExecution, LiveExecutions } from './live-executions.ts';
import { retryState } from './retry-state.ts';
import { SharedExecutions } from './shared-executions.ts';
import type { ExecutionHandle, StartCall, WaitingExecution } from './start-call.ts';
import { WaitTimers } from './wait-timers.ts';

interface ExecutionsParts extends RunnerParts {
  /** Deletes what else belongs to a deleted execution. */
  onDeleted(executionId: string): Promise<void>;
}

/** Milliseconds after which an execution resumes whose time came while the records or the cluster were away. */
const RESUME_PAUSE = 5000;
/** Milliseconds that executions have to end when the server closes. */
const CLOSING_TIME = 2000;

export class Executions {
  readonly #live = new LiveExecutions();
  readonly #records: ExecutionRecords;
  readonly #timers: WaitTimers;
  readonly #runner: ExecutionRunner;
  readonly #queue: ExecutionQueue;
  /** Ids of executions that a call is about to resume. */
  readonly #resuming = new Set<string>();
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
    this.#timers = new WaitTimers(host.clock, (id) => void this.#resumeOnTime(id));
    this.#runner = new ExecutionRunner(parts, this.#live, this.#records, this.#timers);
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
  async waiting(id: string): Promise<WaitingExecution> {
    const { summary, detail } = await this.#requireWaiting(id);
    return { summary, detail, wait: detail.data.executionData?.wait };
  }

  /**
   * Resumes a waiting execution.
   * @param call the output of the waiting node, if it differs from the recorded one
   * @throws ApiError 404 or 409 as `waiting` does
   */
  async resume(
    id: string,
    call: { output?: NodeOutput; responseSink?: ResponseSink } = {},
  ): Promise<ExecutionHandle> {
    this.#requireOpen();
    // Only one of two simultaneous calls may resume.
    if (this.#resuming.has(id)) throw runningAlready(id);
    this.#resuming.add(id);
    const { cluster } = this.parts.host;
    let release: (() => Promise<void>) | undefined;
    try {
      release = await cluster?.claim(`execution ${id}`);
      if (cluster && !release) throw runningAlready(id);
      const handle = this.#resumeWaiting(await this.#requireWaiting(id), call);
      // Another process may claim it when it reads that it runs.
      if (release) await handle.accepted;
      return handle;
    } finally {
      this.#resuming.delete(id);
      await release?.();
    }
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
      await this.#fail(live, state, error);
    } finally {
      ticket?.leave();
    }
  }

  /** From here on, nodes may have run. */
  async #recordRunning(live: LiveExecution): Promise<void> {
    live.summary = { ...live.summary, status: 'running' };
    await this.parts.store.putSummary(live.summary);
  }

  /** Ends an execution that could not be recorded, or was cancelled in the queue. */
  #fail(live: LiveExecution, state: RunState, error: unknown): Promise<void> {
    const status = live.signal.aborted ? 'canceled' : 'error';
    return this.#runner.record(live, { status, state, error: errorRecord(error) });
  }

  #resumeWaiting(
    { summary, detail }: { summary: ExecutionSummary; detail: ExecutionDetail },
    call: { output?: NodeOutput; responseSink?: ResponseSink },
  ): ExecutionHandle {
    const { id } = summary;
    this.#timers.remove(id);
    const { waitTill: _over, ...rest } = summary;
    const { cluster } = this.parts.host;
    const running: ExecutionSummary = {
      ...rest,
      status: 'running',
      ...(cluster && { process: cluster.process }),
    };
    const workflow = this.#live.get(id)?.workflow ?? detail.workflowData;
    const state = toState(detail)!;
    endWait(state, workflow, this.parts.services, call.output);
    const live = this.#live.get(id) ?? this.#live.add(running, workflow);
    if (call.responseSink) live.responseSink = call.responseSink;
    live.summary = running;
    live.isRecorded = true;
    // The call's output is recorded before the execution continues.
    const accepted = this.parts.store.put(running, toDetail(workflow, state));
    accepted.then(() => this.#runner.run(live, state)).catch((error) => this.#fail(live, state, error));
    return { id, accepted, done: live.done, cancel: () => live.cancel() };
  }

  async #resumeOnTime(id: string): Promise<void> {
    try {
      await this.resume(id);
    } catch (error) {
      const { clock, log } = this.parts.host;
      log.warn('webhooks: a waiting execution could not resume', { execution: id, error: String(error) });
      // It runs or has ended already, or the server closes.
      if (!(error instanceof ApiError)) this.#timers.add(id, clock.now() + RESUME_PAUSE);
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

  async #requireWaiting(id: string): Promise<{ summary: ExecutionSummary; detail: ExecutionDetail }> {
    const status = (await this.get(id))?.summary.status;
    // A running execution may have no detail on record.
    if (status === 'running' || status === 'new') throw runningAlready(id);
    const found = await this.#records.require(id);
    if (status !== 'waiting' || !found.detail.data.executionData) {
      throw new ApiError(409, `The execution "${id} has finished already.`);
    }
    return found;
  }

  #newSummary(call: StartCall, number: number): ExecutionSummary {
    const { cluster, clock } = this.parts.host;
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
    };
  }

  #requireOpen(): void {
    if (this.#live.isClosed) throw new ApiError(503, 'The server is closing');
  }
}

function runningAlready(id: string): ApiError {
  return new ApiError(409, `The execution "${id}" is running already.`);
}
