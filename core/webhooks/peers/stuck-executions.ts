/** Executions of a cluster that need somebody to look at them. */
import type { ExecutionSummary } from '#core/workflow-format';
import type { WebhookServices } from '../services.ts';

/** An execution that waits for long, or whose process ended. */
export interface StuckExecution {
  id: string;
  workflowName: string;
  /** `waiting`: it is in the queue for more than a minute. `crashed`: the process that ran it ended. */
  state: 'waiting' | 'crashed';
  /** Milliseconds since 1970: its start. */
  startedAt: number;
}

/** Milliseconds after which an execution in the queue counts as stuck. */
const LONG = 60_000;
const MAX_LISTED = 50;

/** The newest ones of both kinds. Crashed ones that were repeated with success are left out. */
export async function stuckExecutions({ engine, host }: WebhookServices): Promise<StuckExecution[]> {
  const { executions } = engine;
  const [crashed, fresh] = await Promise.all([
    executions.list({ status: 'crashed', limit: MAX_LISTED }),
    executions.list({ status: 'new', limit: 10_000 }),
  ]);
  const late = fresh.filter(({ queued, startedAt }) => queued && host.clock.now() - startedAt > LONG);
  const inState = (state: StuckExecution['state']) => (summary: ExecutionSummary) => {
    const { id, workflowName, startedAt } = summary;
    return { id, workflowName, state, startedAt };
  };
  return [
    ...late.slice(-MAX_LISTED).map(inState('waiting')),
    ...crashed.filter(({ retrySuccessId }) => retrySuccessId === undefined).map(inState('crashed')),
  ];
}

/**
 * Repeats an execution that crashed, or adds one to the queue again that waits in it for long.
 * @returns the id of the execution that runs
 * @throws ApiError 404 if there is none, 409 if it did not fail
 */
export async function repeatStuck(
  id: string,
  { engine: { executions } }: Pick<WebhookServices, 'engine'>,
): Promise<string> {
  const found = await executions.get(id);
  if (found && executions.shared?.enterAgain(found.summary)) return id;
  const { id: repeated, accepted } = await executions.retry(id);
  await accepted;
  return repeated;
}
