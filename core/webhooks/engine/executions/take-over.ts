/** Takes over executions of processes of a cluster that have ended. */
import type { Cluster } from '#core/host';
import type { ExecutionDetail, ExecutionSummary } from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';
import type { ExecutionStore } from './execution-store.ts';

/** An execution that ended so many processes is no longer repeated. */
const MAX_TAKEOVERS = 2;

export interface TakeOverParts {
  cluster: Cluster;
  store: ExecutionStore;
  settings: Pick<WebhookSettings, 'retriesTakenOver'>;
  /** Adds an execution to the queue of the cluster. It runs from its recorded state, under its id. */
  repeat(summary: ExecutionSummary, detail: ExecutionDetail): Promise<void>;
  /** Keeps executions that wait in the queue from being forgotten. Called with all of them. */
  restore(waiting: ExecutionSummary[]): void;
  markCrashed(summary: ExecutionSummary): Promise<void>;
  startTimer(id: string, waitTill: number): void;
}

/**
 * Looks through all executions that have not ended. The rule for those of a process that is gone:
 * - waiting: this process resumes it when its time comes;
 * - no node has run yet, and its start is recorded: it runs on any process;
 * - some nodes may have run: TABD_TAKEOVER decides. `fail` marks it as crashed, `retry` runs it from its recorded state,
 *   so that nodes after the last recorded one run twice;
 * - it was taken over twice before: it is marked as crashed.
 */
export async function takeOver(parts: TakeOverParts): Promise<void> {
  const { store, cluster } = parts;
  const alive = new Map<string, Promise<boolean>>([[cluster.process, Promise.resolve(true)]]);
  const runs = (process: string) => {
    const answer = alive.get(process) ?? cluster.isRunning(process);
    alive.set(process, answer);
    return answer;
  };
  for (const status of ['new', 'running', 'waiting'] as const) {
    const found = await store.list({ index: 'status', equals: status });
    if (status === 'new') parts.restore(found.filter(({ queued }) => queued));
    for (const { id, process = '', queued } of found) {
      if (queued) continue;
      if (await runs(process)) continue;
      const release = await cluster.claim(`execution ${id}`);
      if (!release) continue;
      try {
        const summary = await store.summary(id);
        if (summary?.status === status && (summary.process ?? '') === process) await takeOne(summary, parts);
      } finally {
        await release();
      }
    }
  }
}

async function takeOne(summary: ExecutionSummary, parts: TakeOverParts): Promise<void> {
  const { store, cluster, settings } = parts;
  const own: ExecutionSummary = { ...summary, process: cluster.process };
  if (summary.status === 'waiting') {
    await store.putSummary(own);
    if (summary.waitTill !== undefined) parts.startTimer(summary.id, summary.waitTill);
    return;
  }
  const takeovers = (summary.takeovers ?? 0) + 1;
  const detail = await store.detail(summary.id);
  const mayRun = summary.status === 'new' || settings.retriesTakenOver;
  if (!detail?.data.executionData || !mayRun || takeovers > MAX_TAKEOVERS) return parts.markCrashed(own);
  await parts.repeat({ ...own, takeovers }, detail);
}
