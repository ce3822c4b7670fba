/** Resumes executions that wait for a call or for a time. */
import type { Host } from '#core/host';
import { ApiError } from '#core/http';
import type { ExecutionDetail, ExecutionSummary, NodeOutput } from '#core/workflow-format';
import type { ResponseSink, WorkflowRunServices } from '../run/run-services.ts';
import { endWait } from '../run/run-state.ts';
import { toDetail, toState } from './execution-detail.ts';
import type { ExecutionRecords } from './execution-records.ts';
import { type ExecutionRunner, failedRun, maySucceedLater } from './execution-runner.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { LiveExecution, LiveExecutions } from './live-executions.ts';
import type { ExecutionHandle, WaitingExecution } from './start-call.ts';
import type { WaitTimers } from './wait-timers.ts';

/** Milliseconds after which an execution resumes whose time came while the records or the cluster were away. */
const RESUME_PAUSE = 5000;

export interface ResumeCall {
  /** The output of the waiting node, if it differs from the recorded one. */
  output?: NodeOutput;
  responseSink?: ResponseSink;
}

interface WaitingParts {
  host: Pick<Host, 'clock' | 'log' | 'cluster'>;
  services: WorkflowRunServices;
  store: ExecutionStore;
  live: LiveExecutions;
  records: ExecutionRecords;
  timers: WaitTimers;
  runner: ExecutionRunner;
}

interface StoredExecution {
  summary: ExecutionSummary;
  detail: ExecutionDetail;
}

export class WaitingExecutions {
  /** Ids of executions that a call is about to resume. */
  readonly #resuming = new Set<string>();

  constructor(private readonly parts: WaitingParts) {}

  /** @throws ApiError 404 if there is no such execution, 409 if it does not wait */
  async find(id: string): Promise<WaitingExecution> {
    const { summary, detail } = await this.#require(id);
    return { summary, detail, wait: detail.data.executionData?.wait };
  }

  /** @throws ApiError as `find` does */
  async resume(id: string, call: ResumeCall = {}): Promise<ExecutionHandle> {
    // Only one of two simultaneous calls may resume.
    if (this.#resuming.has(id)) throw runningAlready(id);
    this.#resuming.add(id);
    const { cluster } = this.parts.host;
    let release: (() => Promise<void>) | undefined;
    try {
      release = await cluster?.claim(`execution ${id}`);
      if (cluster && !release) throw runningAlready(id);
      const handle = this.#start(await this.#require(id), call);
      // Another process may claim it when it reads that it runs.
      if (release) await handle.accepted;
      return handle;
    } finally {
      this.#resuming.delete(id);
      await release?.();
    }
  }

  /** Resumes an execution whose time has come. Tries again later if that fails. */
  async resumeOnTime(id: string): Promise<void> {
    const { clock, log } = this.parts.host;
    try {
      await (await this.resume(id)).accepted;
    } catch (error) {
      log.warn('webhooks: a waiting execution could not resume', { execution: id, error: String(error) });
      // It runs or has ended already, or the server closes.
      if (!(error instanceof ApiError)) this.parts.timers.add(id, clock.now() + RESUME_PAUSE);
    }
  }

  #start({ summary, detail }: StoredExecution, call: ResumeCall): ExecutionHandle {
    const { host, live: executions, services, store, timers, runner } = this.parts;
    const { id } = summary;
    timers.remove(id);
    const { waitTill: _over, ...rest } = summary;
    const running: ExecutionSummary = {
      ...rest,
      status: 'running',
      ...(host.cluster && { process: host.cluster.process }),
    };
    const waiting = executions.get(id);
    const workflow = waiting?.workflow ?? detail.workflowData;
    const state = toState(detail)!;
    endWait(state, workflow, services, call.output);
    const live = waiting ?? executions.add(running, workflow);
    if (call.responseSink) live.responseSink = call.responseSink;
    live.summary = running;
    live.isRecorded = true;
    // The call's output is recorded before the execution continues.
    const accepted = store.put(running, toDetail(workflow, state));
    accepted
      .then(
        () => runner.run(live, state),
        (error) => {
          if (!maySucceedLater(error)) throw error;
          this.#waitOn(live, summary);
          // Nobody but the caller of this attempt waits for its end.
          if (!waiting) executions.finish(live, failedRun(live, state, error));
        },
      )
      .catch((error) => runner.record(live, failedRun(live, state, error)));
    return { id, accepted, done: live.done, cancel: () => live.cancel() };
  }

  /** The record of the wait is unchanged: a later call or timer can resume the execution. */
  #waitOn(live: LiveExecution, summary: ExecutionSummary): void {
    live.summary = summary;
    const { timers, host } = this.parts;
    if (summary.waitTill !== undefined)
      timers.add(summary.id, Math.max(summary.waitTill, host.clock.now() + RESUME_PAUSE));
  }

  async #require(id: string): Promise<StoredExecution> {
    const { records } = this.parts;
    const status = (await records.get(id))?.summary.status;
    // A running execution may have no detail on record.
    if (status === 'running' || status === 'new') throw runningAlready(id);
    const found = await records.require(id);
    if (status !== 'waiting' || !found.detail.data.executionData) {
      throw new ApiError(409, `The execution "${id} has finished already.`);
    }
    return found;
  }
}

function runningAlready(id: string): ApiError {
  return new ApiError(409, `The execution "${id}" is running already.`);
}
