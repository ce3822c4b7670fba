/** The records of executions: listed, saved as their workflow's settings say, and deleted. */
import type { Host } from '#core/host';
import { ApiError } from '#core/http';
import type { ExecutionDetail, ExecutionSummary, RunState, Workflow } from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { RunResult } from '../run/run-result.ts';
import { isSaved, toDetail } from './execution-detail.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { LiveExecution, LiveExecutions } from './live-executions.ts';
import { Pruner } from './pruner.ts';

export interface ExecutionFilter {
  workflowId?: string;
  status?: string;
  limit?: number;
  /** Selects executions with a lower number. */
  before?: number;
}

interface RecordsParts {
  host: Pick<Host, 'clock' | 'log'>;
  settings: WebhookSettings;
  store: ExecutionStore;
  /** Deletes what else belongs to an execution. */
  onDeleted(executionId: string): Promise<void>;
}

export class ExecutionRecords {
  readonly #pruner: Pruner;

  constructor(
    private readonly parts: RecordsParts,
    private readonly live: LiveExecutions,
  ) {
    this.#pruner = new Pruner(parts.store, parts.settings, {
      ...parts.host,
      delete: async ({ id }) => void (await this.#delete(id)),
    });
  }

  /** Newest first, at most 100 unless `limit` says otherwise. */
  async list({ workflowId, status, limit = 100, before }: ExecutionFilter): Promise<ExecutionSummary[]> {
    const { store } = this.parts;
    if (workflowId === undefined && status === undefined) {
      const to = before === undefined ? {} : { to: before - 1 };
      return store.list({ index: 'number', reverse: true, limit, ...to });
    }
    const matching =
      workflowId !== undefined
        ? await store.list({ index: 'workflowId', equals: workflowId })
        : await store.list({ index: 'status', equals: status! });
    return matching
      .filter(
        (summary) =>
          (status === undefined || summary.status === status) &&
          (before === undefined || summary.number < before),
      )
      .sort((a, b) => b.number - a.number)
      .slice(0, limit);
  }

  /** A live execution may have no detail yet. */
  async get(
    id: string,
  ): Promise<{ summary: ExecutionSummary; detail: ExecutionDetail | undefined } | undefined> {
    const { store } = this.parts;
    const summary = this.live.get(id)?.summary ?? (await store.summary(id));
    return summary && { summary, detail: await store.detail(id) };
  }

  /** @throws ApiError 404 */
  async require(id: string): Promise<{ summary: ExecutionSummary; detail: ExecutionDetail }> {
    const found = await this.get(id);
    if (!found?.detail) throw new ApiError(404, `The execution "${id}" does not exist.`);
    return { summary: found.summary, detail: found.detail };
  }

  /** Records an execution before its first node runs. */
  saveStart({ durable, summary, workflow, storedWith }: LiveExecution, state: RunState): Promise<void> {
    const { store } = this.parts;
    return durable ? store.put(summary, toDetail(workflow, state), storedWith) : store.putSummary(summary);
  }

  saveWait(summary: ExecutionSummary, workflow: Workflow, state: RunState): Promise<void> {
    return this.parts.store.put(summary, toDetail(workflow, state));
  }

  /** Records the end of an execution, or deletes its record, as settings say. */
  async saveEnd(
    { summary, workflow }: Pick<LiveExecution, 'summary' | 'workflow'>,
    { state, error }: RunResult,
  ): Promise<void> {
    const saved = isSaved(summary, workflow, this.parts.settings);
    if (saved) await this.parts.store.put(summary, toDetail(workflow, state, error));
    else await this.#delete(summary.id);
    this.#pruner.count(saved);
  }

  /** @returns false if there was no record */
  delete(id: string): Promise<boolean> {
    this.#pruner.recount();
    return this.#delete(id);
  }

  /** Deletes finished executions that are too old or too many now. */
  prune(): Promise<void> {
    return this.#pruner.prune();
  }

  close(): void {
    this.#pruner.close();
  }

  async #delete(id: string): Promise<boolean> {
    await this.parts.onDeleted(id);
    return this.parts.store.delete(id);
  }
}
