/** Runs live executions, and records how each run ends: in a wait or for good. */
import { PendingWrites } from '#core/base';
import { type Host, RecordsUnavailable, StorageFull, traced } from '#core/host';
import type { ExecutionSummary, RunState, StaticData, Workflow } from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { EngineEvents } from '../events.ts';
import type { RunResult, WorkflowRunEvent } from '../run/run-result.ts';
import type { WorkflowRunServices } from '../run/run-services.ts';
import { RunTimedOut, runWorkflow } from '../run/runner.ts';
import { toDetail } from './execution-detail.ts';
import type { ExecutionRecords } from './execution-records.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { LiveExecution, LiveExecutions } from './live-executions.ts';
import type { WaitTimers } from './wait-timers.ts';

/** Milliseconds. While an execution waits for less than this, its caller waits, too. */
const SHORT_WAIT = 65_000;
/** Milliseconds between two attempts to record a wait. */
const WAIT_PAUSE = 5000;

export interface RunnerParts {
  host: Pick<Host, 'clock' | 'log' | 'cluster' | 'meter' | 'tracing'>;
  services: WorkflowRunServices;
  settings: WebhookSettings;
  store: ExecutionStore;
  events: EngineEvents;
  /** The static data of a stored workflow: one object, which all its production executions share. */
  staticData(workflowId: string): Promise<StaticData | undefined>;
  /** Stores the static data that a production execution changed. */
  saveStaticData(workflow: Workflow): Promise<void>;
  /** Called when a production execution failed. */
  onFailed(execution: ExecutionSummary, workflow: Workflow, state: RunState): void;
}

/** Whether the storage is full or away: the same write may succeed later. */
export const maySucceedLater = (error: unknown): boolean =>
  error instanceof StorageFull || error instanceof RecordsUnavailable;

/** The end of an execution that could not be recorded, or was cancelled in the queue. */
export function failedRun({ signal }: LiveExecution, state: RunState, error: unknown): RunResult {
  return {
    status: signal.aborted ? 'canceled' : 'error',
    state,
    error: errorRecord(error),
    ...(maySucceedLater(error) && { unrecorded: error }),
  };
}

export class ExecutionRunner {
  /** Ends of executions for which the storage had no room, or was away. */
  readonly #unrecordedEnds: PendingWrites;

  constructor(
    private readonly parts: RunnerParts,
    private readonly live: LiveExecutions,
    private readonly records: ExecutionRecords,
    private readonly timers: WaitTimers,
  ) {
    this.#unrecordedEnds = new PendingWrites(parts.host.clock, maySucceedLater, (error) =>
      parts.host.log.error('webhooks: the end of an execution is lost', { error: String(error) }),
    );
  }

  /**
   * Tries once more to record the ends that could not be recorded. Those that fail again are lost: the next start marks
   * these executions as crashed.
   */
  close(): Promise<void> {
    return this.#unrecordedEnds.close();
  }

  /** Runs from `state` to the next wait or to the end, and records the result. */
  async run(live: LiveExecution, state: RunState): Promise<void> {
    const { services, store } = this.parts;
    const workflow = await this.#withStaticData(live);
    live.workflow = workflow;
    const staticData = JSON.stringify(workflow.staticData);
    const stopTimer = this.#startTimeLimit(live);
    const { id, mode, test, startedAt } = live.summary;
    const isFirst = state.given !== undefined || Object.keys(state.runData).length === 0;
    const begin = this.parts.host.clock.now();
    const result = await this.#traced(live, isFirst, () =>
      runWorkflow(
        {
          workflow,
          executionId: id,
          mode,
          test,
          state,
          signal: live.signal,
          ...(live.destination !== undefined && { destination: live.destination }),
          depth: live.depth,
          ...(live.responseSink && { responseSink: live.responseSink }),
          onEvent: (event) => this.#sendProgress(live, event),
          ...(this.#savesProgress(workflow) && {
            onProgress: (now: RunState) => store.putDetail(id, toDetail(workflow, now)),
          }),
        },
        services,
      ),
    );
    stopTimer();
    this.parts.host.meter?.({
      api: 'webhooks',
      outcome: result.status,
      ...(isFirst && { waited: Math.max(0, begin - startedAt) / 1000 }),
      ran: Math.max(0, this.parts.host.clock.now() - begin) / 1000,
    });
    await this.record(live, result, staticData);
  }

  /** A run as a span of the trace of its call. */
  #traced({ summary }: LiveExecution, isFirst: boolean, run: () => Promise<RunResult>): Promise<RunResult> {
    const { tracing, clock } = this.parts.host;
    const { id, workflowId, workflowName, startedAt, traceparent } = summary;
    const attributes = {
      'tabd.execution.id': id,
      'tabd.workflow.id': workflowId,
      'tabd.workflow.name': workflowName,
      ...(isFirst && { 'tabd.waited_ms': Math.max(0, clock.now() - startedAt) }),
    };
    return traced(tracing, 'run workflow', { parent: traceparent, attributes }, async ({ set, fail }) => {
      const result = await run();
      set({ 'tabd.outcome': result.status });
      if (result.status === 'error') fail(result.error?.message ?? 'error');
      return result;
    });
  }

  /**
   * Records the result. The execution ends for its callers even if that fails.
   * @param earlierStaticData the static data before the run, as JSON
   */
  async record(live: LiveExecution, result: RunResult, earlierStaticData?: string): Promise<void> {
    const { workflow, summary } = live;
    if (this.#isLeftToOthers(result)) return this.live.finish(live, result);
    try {
      if (earlierStaticData !== undefined && !summary.test) {
        const isChanged = JSON.stringify(workflow.staticData) !== earlierStaticData;
        if (isChanged) await this.#saveSoon(live, () => this.parts.saveStaticData(workflow));
      }
      if (result.status !== 'waiting') return await this.#end(live, result);
      try {
        await this.#startWait(live, result);
      } catch (error) {
        if (maySucceedLater(error)) return this.#waitLater(live, result);
        // Without a record, nobody could resume it.
        await this.#end(live, { ...result, status: 'error', error: errorRecord(error) });
      }
    } catch (error) {
      this.parts.host.log.error('webhooks: an execution could not be recorded', {
        execution: summary.id,
        error: String(error),
      });
      this.live.finish(live, result);
    }
  }

  /** Whether another process takes over this run, which ends because this process closes. As if it had been killed. */
  #isLeftToOthers({ status }: RunResult): boolean {
    return this.live.isClosed && this.parts.host.cluster !== undefined && status === 'canceled';
  }

  /** Until its wait is on record, the execution counts as running. */
  #waitLater(live: LiveExecution, result: RunResult): void {
    this.parts.host.clock.after(WAIT_PAUSE, () => {
      if (!this.live.isClosed) void this.record(live, result);
    });
  }

  async #startWait(live: LiveExecution, result: RunResult): Promise<void> {
    const { until } = result.state.wait!;
    const at = until.kind === 'time' ? until.at : until.limit;
    const summary: ExecutionSummary = {
      ...live.summary,
      status: 'waiting',
      ...(at !== undefined && { waitTill: at }),
    };
    await this.records.saveWait(summary, live.workflow, result.state);
    const { isClosed } = this.live;
    if (live.signal.aborted && !isClosed) {
      return this.#end(live, { ...result, status: 'canceled', error: errorRecord(live.signal.reason) });
    }
    // No await may follow: a call that resumed the execution in between would receive the end of this part of the run.
    live.summary = summary;
    if (isClosed) return this.live.abandon(live);
    const isShort = until.kind === 'time' && until.at - this.parts.host.clock.now() < SHORT_WAIT;
    if (!isShort) this.live.finish(live, result);
    this.parts.events.send({ type: 'executionWaiting', execution: summary });
    if (at !== undefined) this.timers.add(summary.id, at);
  }

  async #end(live: LiveExecution, result: RunResult): Promise<void> {
    const { events, host, onFailed } = this.parts;
    const { status, error } = result;
    live.summary = {
      ...live.summary,
      status,
      finished: status === 'success',
      stoppedAt: Math.floor(host.clock.now()),
      ...(error && { error }),
    };
    const { summary, workflow } = live;
    this.live.remove(live);
    await this.#saveSoon(live, () => this.records.saveEnd({ summary, workflow }, result));
    live.finish(result);
    events.send({ type: 'executionFinished', execution: summary, test: summary.test });
    if (status === 'error' && !summary.test) onFailed(summary, workflow, result.state);
  }

  /** If the storage is full or away, the callers get the result now, and the record is written as soon as it can be. */
  async #saveSoon({ summary, isRecorded }: LiveExecution, save: () => Promise<void>): Promise<void> {
    try {
      await save();
    } catch (error) {
      if (!isRecorded || !maySucceedLater(error)) throw error;
      this.parts.host.log.warn('webhooks: the end of an execution is recorded later', {
        execution: summary.id,
        error: String(error),
      });
      this.#unrecordedEnds.add(save);
    }
  }

  /** All production executions of a workflow share its current static data. One of the editor changes a copy. */
  async #withStaticData({ workflow, summary }: LiveExecution): Promise<Workflow> {
    const shared = (await this.parts.staticData(workflow.id)) ?? workflow.staticData;
    return { ...workflow, staticData: summary.test ? structuredClone(shared) : shared };
  }

  /** Cancels the execution when its time limit passes. Returns a function that stops the timer. */
  #startTimeLimit(live: LiveExecution): () => void {
    const { settings, host } = this.parts;
    const own = Number(live.workflow.settings.executionTimeout ?? 0);
    const seconds = own > 0 ? Math.min(own, settings.longestTimeout) : own < 0 ? 0 : settings.timeout;
    return seconds > 0 ? host.clock.after(seconds * 1000, () => live.cancel(new RunTimedOut())) : () => {};
  }

  #savesProgress({ settings }: Workflow): boolean {
    const own = settings.saveExecutionProgress ?? 'DEFAULT';
    return own === true || (own === 'DEFAULT' && this.parts.settings.saveProgress);
  }

  #sendProgress({ summary }: LiveExecution, event: WorkflowRunEvent): void {
    const { events } = this.parts;
    if (!events.hasSubscribers) return;
    const { id: executionId, workflowId, test } = summary;
    events.send({ type: 'executionProgress', executionId, workflowId, test, event });
  }
}
