/** Executions that another process of the cluster runs. */
import { errorMessage, sleep } from '#core/base';
import type { Cluster, Host } from '#core/host';
import { ApiError } from '#core/http';
import type { ExecutionDetail, ExecutionSummary, RunState } from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { EngineEvents } from '../events.ts';
import type { RunResult } from '../run/run-result.ts';
import { emptyState } from '../run/run-state.ts';
import { toState } from './execution-detail.ts';
import { type ExecutionStore, isFinished } from './execution-store.ts';

/** Milliseconds between two readings of the record. Events report the end earlier, unless they are lost. */
const POLL_INTERVAL = 2000;
/** Milliseconds in which a process must answer. */
const ANSWER_TIMEOUT = 10_000;

interface ElsewhereParts {
  cluster: Cluster;
  store: ExecutionStore;
  host: Pick<Host, 'clock' | 'log'>;
  events: EngineEvents;
  settings: Pick<WebhookSettings, 'saveSuccess'>;
  /** Aborts when this process closes. */
  closing: AbortSignal;
}

/** The path of a request that cancels an execution of the process that receives it. */
export const stopPath = (id: string): string => `/peer/executions/${id}/stop`;

/** The state of an execution that has ended. */
function endState({ data: { resultData } }: ExecutionDetail): RunState {
  const { runData, lastNodeExecuted } = resultData;
  return {
    ...emptyState(),
    runData,
    ...(lastNodeExecuted !== undefined && { lastNode: lastNodeExecuted }),
  };
}

export class ExecutionsElsewhere {
  constructor(private readonly parts: ElsewhereParts) {}

  /**
   * Cancels an execution on the process that runs it.
   * @returns false if it does not run there any more
   * @throws ApiError 503 when that process does not answer
   */
  async cancel({ id, process }: ExecutionSummary): Promise<boolean> {
    const { cluster } = this.parts;
    if (process === undefined || process === cluster.process) return false;
    const request = new Request(`http://webhooks${stopPath(id)}`, {
      method: 'POST',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    });
    try {
      const response = await cluster.ask(process, 'webhooks', request);
      if (!response.ok) throw new Error(`status ${response.status}`);
      return ((await response.json()) as { stopped: boolean }).stopped;
    } catch (error) {
      const reason = errorMessage(error);
      throw new ApiError(503, `The process that runs the execution ${id} does not answer: ${reason}`);
    }
  }

  /** The end of an execution, or the begin of a long wait. Never rejects. */
  async end(id: string): Promise<RunResult> {
    const { host, events, closing } = this.parts;
    for (;;) {
      const reported = new AbortController();
      const unsubscribe = events.subscribe((event) => {
        if ('execution' in event && event.execution.id === id) reported.abort();
      });
      try {
        const result = await this.#read(id);
        if (result) return result;
        const signal = AbortSignal.any([closing, reported.signal]);
        await sleep(host.clock, POLL_INTERVAL, signal).catch(() => {});
        if (closing.aborted) return { status: 'canceled', state: emptyState() };
      } catch (error) {
        host.log.warn('webhooks: the end of an execution could not be read', {
          execution: id,
          error: errorMessage(error),
        });
        await sleep(host.clock, POLL_INTERVAL, closing).catch(() => {});
      } finally {
        unsubscribe();
      }
    }
  }

  /** Undefined: it has not ended. */
  async #read(id: string): Promise<RunResult | undefined> {
    const { store, settings } = this.parts;
    const summary = await store.summary(id);
    // It has ended, and its record was not to be kept.
    if (!summary) return { status: settings.saveSuccess ? 'error' : 'success', state: emptyState() };
    const { status, error } = summary;
    if (status !== 'waiting' && !isFinished(summary)) return undefined;
    const detail = await store.detail(id);
    return {
      status: status === 'crashed' || status === 'new' || status === 'running' ? 'error' : status,
      state: detail ? (toState(detail) ?? endState(detail)) : emptyState(),
      ...(error && { error }),
    };
  }
}
