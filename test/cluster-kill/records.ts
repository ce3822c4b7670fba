/** Reads the executions from the database, without tabd. */
import type { ExecutionSummary } from '#core/workflow-format';
import type { PostgresServer } from '../support/servers/postgres.ts';

export interface RecordedExecution extends ExecutionSummary {
  /** The call that started it. Undefined: it ended without a record of its items. */
  call: string | undefined;
}

/** The name of a call in the items of its execution. */
export const callId = (number: number): string => `call${number}z`;

export async function recordedExecutions(
  postgres: PostgresServer,
  url: string,
): Promise<RecordedExecution[]> {
  const { rows } = await postgres.query(
    url,
    `SELECT e.doc, substring(d.doc::text FROM 'call[0-9]+z') AS call
     FROM tabd.executions e LEFT JOIN tabd."executionData" d USING (key)`,
  );
  return rows.map(({ doc, call }) => ({ ...doc, call: call ?? undefined }));
}

export const isOpen = ({ status }: Pick<ExecutionSummary, 'status'>): boolean =>
  status === 'new' || status === 'running' || status === 'waiting';
