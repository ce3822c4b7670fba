/** Starts, ends, keeps and repeats runs of workflows. */
import type { Host } from '#core/host';
import { ApiError } from '#core/http';
import type {
  ExecutionDetail,
  ExecutionSummary,
  NodeOutput,
  RunState,
  StaticData,
  Workflow,
} from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { EngineEvents } from '../events.ts';
import type { RunResult } from '../run/run-result.ts';
import type { AnswerSink, RunServices } from '../run/run-services.ts';
import { emptyState, endWait, startAt } from '../run/run-state.ts';
import { flowRules, RunCancelled, RunTimedOut, runWorkflow } from '../run/runner.ts';
import { detailOf, isKept, stateOf } from './execution-detail.ts';
import { ExecutionQueue, type Ticket } from './execution-queue.ts';
import type { ExecutionStore } from './execution-store.ts';
import { Pruner } from './pruner.ts';
import { retryState } from './retry-state.ts';
import type { ExecutionHandle, StartCall, WaitingExecution } from './start-call.ts';
import { WaitTimers } from './wait-timers.ts';

export interface ExecutionsParts {
  host: Pick<Host, 'clock' | 'log'>;
  services: RunServices;
  settings: WebhookSettings;
  store: ExecutionStore;
  events: EngineEvents;
  /** What production runs of a stored workflow keep; the same object for all of them. */
  staticData(workflowId: string): Promise<StaticData | undefined>;
  /** Static data that a production run changed. */
  saveStaticData(workflow: Workflow): Promise<void>;
  /** A production run failed. */
  onFailed(execution: ExecutionSummary, workflow: Workflow, state: RunState): void;
  /** A run is deleted: what else belongs to it goes too. */
  onDeleted(executionId: string): Promise<void>;
}

/** A wait this short is waited for by the caller too (milliseconds). */
const SHORT_WAIT = 65_000;
/** Milliseconds that runs have to end when the server closes. */
const CLOSING = 2000;

interface Live {
  controller: AbortController;
  summary: ExecutionSummary;
  workflow: Workflow;
  answer: AnswerSink | undefined;
  destination: string | undefined;
  durable: boolean;
  depth: number;
  finish(result: RunResult): void;
  /** Resolves with `finish`. */
  over: Promise<void>;
}

export class Executions {
  readonly #live = new Map<string, Live>();
  readonly #resuming = new Set<string>();
  readonly #gate: ExecutionQueue;
  readonly #pruner: Pruner;
  readonly #waits: WaitTimers;
  #closed = false;

  constructor(private readonly parts: ExecutionsParts) {
    const { settings, store, host } = parts;
    this.#gate = new ExecutionQueue(settings.running, settings.queued);
    this.#pruner = new Pruner(store, settings, {
      ...host,
      forget: async ({ id }) => void (await this.#forget(id)),
    });
    this.#waits = new WaitTimers(
      host.clock,
      (id) => void this.#continue(id).catch((error) => this.#lost(id, error)),
    );
  }

  /** After a start of the server: runs of the former one are over, waits go on. */
  async recover(): Promise<void> {
    const { store, host } = this.parts;
    const mark = async (execution: ExecutionSummary) => {
      if (this.#live.has(execution.id)) return;
      // A call may have come before this, and its run may have ended since the list was made.
      if ((await store.summary(execution.id))?.status !== execution.status) return;
      await store.putSummary({ ...execution, status: 'crashed', stoppedAt: Math.floor(host.clock.now()) });
    };
    for (const status of ['new', 'running'] as const) {
      // Together, so that stores that can keep them in one go: there may be thousands.
      await Promise.all((await store.list({ index: 'status', equals: status })).map(mark));
    }
    for (const execution of await store.list({ index: 'status', equals: 'waiting' })) {
      if (execution.waitTill !== undefined) this.#waits.add(execution.id, execution.waitTill);
    }
  }

  /** The id of a run that may be started: what comes in for it can be kept under it before. */
  async reserve(): Promise<string> {
    return String(await this.parts.store.nextNumber());
  }

  /** Runs that calls and schedules have started, and how many of them wait for their turn. */
  get load(): { running: number; waiting: number } {
    return this.#gate.load;
  }

  /** Throws `ApiError` 503 when there is no room for another call: cheaper to know before its body is read. */
  requireCapacity(): void {
    if (this.#closed) throw closing();
    this.#gate.check();
  }

  /** Throws `ApiError` 503 when too many wait. */
  async start(call: StartCall): Promise<ExecutionHandle> {
    if (this.#closed) throw closing();
    // Parts of a run that goes on already do not stand in line behind others: they would wait for one another.
    const inLine = call.mode === 'webhook' || call.mode === 'trigger';
    const ticket = inLine ? this.#gate.ticket() : undefined;
    try {
      const number = call.id === undefined ? await this.parts.store.nextNumber() : Number(call.id);
      return this.#launch(call, number, startAt(call.node, call.output), ticket);
    } catch (error) {
      ticket?.leave();
      throw error;
    }
  }

  /** Keeps a run that could not begin, so that whoever made the workflow sees it; who called is told by others. */
  async refuse(call: StartCall, error: Error): Promise<void> {
    if (this.#closed) return;
    const live = this.#makeLive(
      call.workflow,
      this.#summaryOf(call, await this.parts.store.nextNumber()),
      call,
    );
    const state = { ...emptyState(), lastNode: call.node };
    await this.#keep(live, { status: 'error', state, error: errorRecord(error, call.node) });
  }

  /** What a run waits for. Throws `ApiError` 404 where there is none, 409 where it does not wait. */
  async waiting(id: string): Promise<WaitingExecution> {
    const { summary, detail } = await this.#waiting(id);
    return { summary, detail, wait: detail.data.executionData?.wait };
  }

  /** Goes on with a run that waits. Throws `ApiError` 404 or 409 when there is nothing to go on with. */
  async resume(
    id: string,
    call: { output?: NodeOutput; answer?: AnswerSink } = {},
  ): Promise<ExecutionHandle> {
    if (this.#closed) throw closing();
    // Of two calls at once only one may go on.
    if (this.#resuming.has(id)) throw runsAlready(id);
    this.#resuming.add(id);
    try {
      return this.#goOn(id, await this.#waiting(id), call);
    } finally {
      this.#resuming.delete(id);
    }
  }

  #goOn(
    id: string,
    { summary, detail }: { summary: ExecutionSummary; detail: ExecutionDetail },
    call: { output?: NodeOutput; answer?: AnswerSink },
  ): ExecutionHandle {
    this.#waits.remove(id);
    const workflow = this.#live.get(id)?.workflow ?? detail.workflowData;
    const state = stateOf(detail)!;
    endWait(state, workflow, flowRules(workflow, this.parts.services), call.output);
    const { waitTill: _over, ...rest } = summary;
    const live = this.#live.get(id) ?? this.#makeLive(workflow, { ...rest, status: 'running' }, {});
    if (call.answer) live.answer = call.answer;
    live.summary = { ...rest, status: 'running' };
    const done = this.#promise(live);
    // What came with the call is on record before it goes on, and that it waits no more.
    const accepted = this.parts.store.put(live.summary, detailOf(workflow, state));
    accepted.then(
      () => this.#run(live, state),
      (error) => this.#keep(live, { status: 'error', state, error: errorRecord(error) }),
    );
    return { id, accepted, done, cancel: () => live.controller.abort(new RunCancelled()) };
  }

  /** Runs it again: from the node that failed, or, when it crashed before anything was kept, from its start. */
  async retry(id: string, workflow?: Workflow): Promise<ExecutionHandle> {
    const { summary, detail } = await this.#required(id);
    if (!/^(error|crashed|canceled)$/.test(summary.status)) {
      throw new ApiError(
        409,
        `The execution ${id} ended with "${summary.status}": only failed ones can be run again`,
      );
    }
    const now = workflow ?? detail.workflowData;
    const state = retryState(detail, now);
    if (!state) throw new ApiError(409, `Of the execution ${id} nothing is left to start from`);
    const number = await this.parts.store.nextNumber();
    const call: StartCall = { workflow: now, mode: 'retry', node: '', retryOf: id, durable: true };
    const handle = this.#launch(call, number, state);
    void handle.done.then(async ({ status }) => {
      const original = await this.parts.store.summary(id);
      if (status === 'success' && original)
        await this.parts.store.putSummary({ ...original, retrySuccessId: handle.id });
    });
    return handle;
  }

  /** True when it was running or waiting. */
  async cancel(id: string): Promise<boolean> {
    const live = this.#live.get(id);
    if (live && live.summary.status !== 'waiting') {
      live.controller.abort(new RunCancelled());
      return true;
    }
    const summary = await this.parts.store.summary(id);
    if (summary?.status !== 'waiting') return false;
    this.#waits.remove(id);
    const { waitTill: _over, ...rest } = summary;
    const canceled = {
      ...rest,
      status: 'canceled' as const,
      stoppedAt: Math.floor(this.parts.host.clock.now()),
    };
    await this.parts.store.putSummary(canceled);
    if (live) this.#giveUp(live);
    this.parts.events.send({ type: 'executionFinished', execution: canceled, test: canceled.test });
    return true;
  }

  /** Newest first. */
  async list(
    filter: { workflowId?: string; status?: string; limit?: number; before?: number } = {},
  ): Promise<ExecutionSummary[]> {
    const { workflowId, status, limit = 100, before } = filter;
    const to = before === undefined ? {} : { to: before - 1 };
    if (workflowId === undefined && status === undefined) {
      return this.parts.store.list({ index: 'number', reverse: true, limit, ...to });
    }
    const all =
      workflowId !== undefined
        ? await this.parts.store.list({ index: 'workflowId', equals: workflowId })
        : await this.parts.store.list({ index: 'status', equals: status! });
    return all
      .filter(
        (one) =>
          (status === undefined || one.status === status) && (before === undefined || one.number < before),
      )
      .sort((a, b) => b.number - a.number)
      .slice(0, limit);
  }

  async get(
    id: string,
  ): Promise<{ summary: ExecutionSummary; detail: ExecutionDetail | undefined } | undefined> {
    const summary = this.#live.get(id)?.summary ?? (await this.parts.store.summary(id));
    return summary && { summary, detail: await this.parts.store.detail(id) };
  }

  async delete(id: string): Promise<boolean> {
    await this.cancel(id);
    this.#waits.remove(id);
    this.#pruner.recount();
    return this.#forget(id);
  }

  /** Deletes what is too old or too many now. */
  prune(): Promise<void> {
    return this.#pruner.prune();
  }

  /** Resolves when no run is under way (those that wait are not), or the signal aborts. */
  async settle(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      const running = [...this.#live.values()].filter(({ summary }) => summary.status !== 'waiting');
      if (running.length === 0) return;
      await Promise.race([stopped, ...running.map((live) => live.over)]);
    }
  }

  /** Ends what runs; what does not end in time is marked as crashed by the next start. Waits go on then. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#pruner.close();
    this.#waits.close();
    for (const live of [...this.#live.values()]) {
      if (live.summary.status === 'waiting') this.#giveUp(live);
      else live.controller.abort(new RunCancelled('The server is closing'));
    }
    const end = new AbortController();
    const stop = this.parts.host.clock.after(CLOSING, () => end.abort());
    await this.settle(end.signal);
    stop();
  }

  /** Lets the callers of a run that waits go; what is on record of it stays. */
  #giveUp(live: Live): void {
    this.#live.delete(live.summary.id);
    live.finish({ status: 'canceled', state: emptyState(), error: errorRecord(new RunCancelled()) });
  }

  #launch(call: StartCall, number: number, state: RunState, ticket?: Ticket): ExecutionHandle {
    const summary = this.#summaryOf(call, number);
    const live = this.#makeLive(call.workflow, summary, call);
    const leave = () => live.controller.abort(new RunCancelled());
    if (call.signal?.aborted) leave();
    call.signal?.addEventListener('abort', leave, { once: true });
    const done = this.#promise(live).finally(() => call.signal?.removeEventListener('abort', leave));
    const accepted = this.#accept(live, state);
    accepted.catch(() => undefined);
    void this.#enter(live, state, accepted, ticket);
    return { id: summary.id, accepted, done, cancel: leave };
  }

  #summaryOf(call: StartCall, number: number): ExecutionSummary {
    return {
      id: String(number),
      number,
      workflowId: call.workflow.id,
      workflowName: call.workflow.name,
      mode: call.mode,
      status: 'running',
      finished: false,
      test: call.test === true,
      startedAt: Math.floor(this.parts.host.clock.now()),
      ...(call.retryOf !== undefined && { retryOf: call.retryOf }),
    };
  }

  #makeLive(workflow: Workflow, summary: ExecutionSummary, call: Partial<StartCall>): Live {
    let finish!: () => void;
    const over = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const live: Live = {
      controller: new AbortController(),
      summary,
      workflow,
      answer: call.answer,
      destination: call.destination,
      durable: call.durable === true,
      depth: call.depth ?? 0,
      finish,
      over,
    };
    this.#live.set(summary.id, live);
    return live;
  }

  #promise(live: Live): Promise<RunResult> {
    const before = live.finish;
    return new Promise((resolve) => {
      live.finish = (result) => {
        before(result);
        resolve(result);
      };
    });
  }

  #accept({ durable, summary, workflow }: Live, state: RunState): Promise<void> {
    const { store } = this.parts;
    return durable ? store.put(summary, detailOf(workflow, state)) : store.putSummary(summary);
  }

  async #enter(live: Live, state: RunState, accepted: Promise<void>, ticket?: Ticket): Promise<void> {
    try {
      await accepted;
      await ticket?.enter(live.controller.signal);
      this.parts.events.send({ type: 'executionStarted', execution: live.summary, test: live.summary.test });
      await this.#run(live, state);
    } catch (error) {
      const status = live.controller.signal.aborted ? 'canceled' : 'error';
      await this.#keep(live, { status, state, error: errorRecord(error) });
    } finally {
      ticket?.leave();
    }
  }

  async #run(live: Live, state: RunState): Promise<void> {
    const { services, events, settings } = this.parts;
    const { summary, controller } = live;
    const workflow = await this.#withStaticData(live);
    live.workflow = workflow;
    const statics = JSON.stringify(workflow.staticData);
    const stopTimer = this.#limitTime(live);
    const saveProgress = workflow.settings.saveExecutionProgress ?? 'DEFAULT';
    const keepsProgress = saveProgress === true || (saveProgress === 'DEFAULT' && settings.saveProgress);
    const result = await runWorkflow(
      {
        workflow,
        executionId: summary.id,
        mode: summary.mode,
        test: summary.test,
        state,
        signal: controller.signal,
        ...(live.destination !== undefined && { destination: live.destination }),
        depth: live.depth,
        ...(live.answer && { answer: live.answer }),
        onEvent: (event) => {
          if (!events.heard) return;
          const { id: executionId, workflowId, test } = live.summary;
          events.send({ type: 'executionProgress', executionId, workflowId, test, event });
        },
        ...(keepsProgress && {
          onProgress: (now: RunState) => this.parts.store.putDetail(summary.id, detailOf(workflow, now)),
        }),
      },
      services,
    );
    stopTimer();
    await this.#keep(live, result, statics);
  }

  /**
   * With the data that production runs keep, as it is now: whichever version of the workflow runs, and however long the
   * run waited, they all share it. A run of the editor changes a copy.
   */
  async #withStaticData({ workflow, summary }: Live): Promise<Workflow> {
    const shared = (await this.parts.staticData(workflow.id)) ?? workflow.staticData;
    return { ...workflow, staticData: summary.test ? structuredClone(shared) : shared };
  }

  /** Puts the result on record; the run ends for its caller whether that can be done or not. */
  async #keep(live: Live, result: RunResult, statics?: string): Promise<void> {
    const { workflow, summary } = live;
    try {
      if (!summary.test && statics !== undefined && JSON.stringify(workflow.staticData) !== statics) {
        await this.parts.saveStaticData(workflow);
      }
      if (result.status === 'waiting') await this.#putToWait(live, result);
      else await this.#end(live, result);
    } catch (error) {
      this.parts.host.log.error('webhooks: a run could not be kept', {
        execution: summary.id,
        error: String(error),
      });
      this.#live.delete(summary.id);
      live.finish(result);
    }
  }

  async #putToWait(live: Live, result: RunResult): Promise<void> {
    const { store, events, host } = this.parts;
    const { until } = result.state.wait!;
    const at = until.kind === 'time' ? until.at : until.limit;
    const summary: ExecutionSummary = {
      ...live.summary,
      status: 'waiting',
      ...(at !== undefined && { waitTill: at }),
    };
    await store.put(summary, detailOf(live.workflow, result.state));
    if (live.controller.signal.aborted && !this.#closed) {
      const error = errorRecord(live.controller.signal.reason);
      return this.#end(live, { ...result, status: 'canceled', error });
    }
    // Only now, and all at once: a call that goes on with it before would get this part's end for its own.
    live.summary = summary;
    if (this.#closed) return this.#giveUp(live);
    const short = until.kind === 'time' && until.at - host.clock.now() < SHORT_WAIT;
    if (!short) {
      this.#live.delete(summary.id);
      live.finish(result);
    }
    events.send({ type: 'executionWaiting', execution: summary });
    if (at !== undefined) this.#waits.add(summary.id, at);
  }

  async #end(live: Live, result: RunResult): Promise<void> {
    const { store, events, host, settings } = this.parts;
    live.summary = {
      ...live.summary,
      status: result.status,
      finished: result.status === 'success',
      stoppedAt: Math.floor(host.clock.now()),
      ...(result.error && { error: result.error }),
    };
    const { summary, workflow } = live;
    this.#live.delete(summary.id);
    const kept = isKept(summary, workflow, settings);
    if (kept) await store.put(summary, detailOf(workflow, result.state, result.error));
    else await this.#forget(summary.id);
    this.#pruner.count(kept);
    live.finish(result);
    events.send({ type: 'executionFinished', execution: summary, test: summary.test });
    if (result.status === 'error' && !summary.test) this.parts.onFailed(summary, workflow, result.state);
  }

  /** What is told of the time a run may take. */
  #limitTime({ workflow, controller }: Live): () => void {
    const { settings, host } = this.parts;
    const asked = Number(workflow.settings.executionTimeout ?? 0);
    const seconds = asked > 0 ? Math.min(asked, settings.longestTimeout) : asked < 0 ? 0 : settings.timeout;
    return seconds > 0
      ? host.clock.after(seconds * 1000, () => controller.abort(new RunTimedOut()))
      : () => {};
  }

  /** The time of a wait has come. */
  async #continue(id: string): Promise<void> {
    const handle = await this.resume(id);
    await handle.done;
  }

  #lost(id: string, error: unknown): void {
    this.parts.host.log.warn('webhooks: a wait could not go on', { execution: id, error: String(error) });
  }

  async #waiting(id: string): Promise<{ summary: ExecutionSummary; detail: ExecutionDetail }> {
    const status = (await this.get(id))?.summary.status;
    // Nothing need be kept of it yet.
    if (status === 'running' || status === 'new') throw runsAlready(id);
    const found = await this.#required(id);
    if (status !== 'waiting' || !found.detail.data.executionData) {
      throw new ApiError(409, `The execution "${id} has finished already.`);
    }
    return found;
  }

  async #required(id: string): Promise<{ summary: ExecutionSummary; detail: ExecutionDetail }> {
    const found = await this.get(id);
    if (!found?.detail) throw new ApiError(404, `The execution "${id}" does not exist.`);
    return { summary: found.summary, detail: found.detail };
  }

  async #forget(id: string): Promise<boolean> {
    await this.parts.onDeleted(id);
    return this.parts.store.delete(id);
  }
}

function closing(): ApiError {
  return new ApiError(503, 'The server is closing');
}

function runsAlready(id: string): ApiError {
  return new ApiError(409, `The execution "${id}" is running already.`);
}
