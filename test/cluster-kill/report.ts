/** The table and the JSON line. */
import type { Call } from './calls.ts';
import { countBy } from './check.ts';
import { KILL_KINDS, type Kill } from './kills.ts';
import type { RecordedExecution } from './records.ts';

/** One row of the table: calls that were not answered yet when something of this kind was killed. */
export interface KillRow {
  kind: string;
  kills: number;
  /** The seconds that the killed part was away, on average. */
  away: number;
  calls: number;
  answered: number;
  refused: number;
  disconnected: number;
  hung: number;
  /** Executions that were open at such a kill, and how they ended. */
  executions: number;
  succeeded: number;
  crashed: number;
  takenOver: number;
}

export function killRows(kills: Kill[], calls: Call[], executions: RecordedExecution[]): KillRow[] {
  const rows = KILL_KINDS.map((kind) => {
    const own = kills.filter((kill) => kill.kind === kind);
    return rowOf(
      kind,
      own,
      calls.filter(({ begin, end }) => own.some(({ at }) => at >= begin && at <= end)),
      executions.filter(({ startedAt, stoppedAt = Number.POSITIVE_INFINITY }) =>
        own.some(({ at }) => at >= startedAt && at <= stoppedAt),
      ),
    );
  });
  return [...rows.filter((row) => row.kills > 0), rowOf('all', kills, calls, executions)];
}

function rowOf(kind: string, kills: Kill[], calls: Call[], executions: RecordedExecution[]): KillRow {
  const outcomes = countBy(
    calls.map(({ outcome }) => (typeof outcome === 'number' && outcome >= 300 ? 'refused' : outcome)),
  );
  const statuses = countBy(executions.map(({ status }) => status));
  const away = kills.reduce((sum, { at, until }) => sum + until - at, 0) / 1000;
  return {
    kind,
    kills: kills.length,
    away: Math.round((away / Math.max(1, kills.length)) * 10) / 10,
    calls: calls.length,
    answered: outcomes.get(200) ?? 0,
    refused: outcomes.get('refused') ?? 0,
    disconnected: outcomes.get('disconnected') ?? 0,
    hung: outcomes.get('hang') ?? 0,
    executions: executions.length,
    succeeded: statuses.get('success') ?? 0,
    crashed: statuses.get('crashed') ?? 0,
    takenOver: executions.filter(({ takeovers = 0 }) => takeovers > 0).length,
  };
}

/** A table in Markdown. */
export function tableOf(rows: KillRow[]): string {
  const titles = [
    ...['killed', 'kills', 'away, s', 'open calls', 'answered', 'refused', 'disconnected', 'hung'],
    ...['open executions', 'succeeded', 'crashed', 'taken over'],
  ];
  const lines = rows.map((row) => Object.values(row).join(' | '));
  return [titles.join(' | '), titles.map(() => '---').join(' | '), ...lines]
    .map((line) => `| ${line} |`)
    .join('\n');
}
