/** Checks the invariants that hold after all kills. */
import type { Call } from './calls.ts';
import type { Kill } from './kills.ts';
import type { Effect } from './ledger.ts';
import { isOpen, type RecordedExecution } from './records.ts';

export interface Evidence {
  calls: Call[];
  effects: Effect[];
  executions: RecordedExecution[];
  kills: Kill[];
  /** When workers ended without being killed: milliseconds since 1970. */
  ownEnds: number[];
  /** Whether executions that may have run in part are repeated (TABD_TAKEOVER=retry). */
  repeats: boolean;
}

/** Milliseconds by which clocks of records and of this program may seem to differ: a kill takes its time. */
const TOLERANCE = 2000;

/** @returns a sentence for each violation */
export function brokenInvariants(evidence: Evidence): string[] {
  const { calls, effects, executions, repeats } = evidence;
  const problems: string[] = [];
  const byCall = new Map<string, Set<string>>();
  const add = (call: string | undefined, execution: string) => {
    if (call) byCall.set(call, (byCall.get(call) ?? new Set()).add(execution));
  };
  for (const { call, id } of executions) add(call, id);
  for (const { call, execution } of effects) add(call, execution);
  const byId = new Map(executions.map((execution) => [execution.id, execution]));
  const steps = countBy(effects.map(({ call, step }) => `${call} ${step}`));

  for (const call of calls) {
    const ids = [...(byCall.get(call.id) ?? [])];
    const name = `${call.id} (${call.kind.path}, answered ${call.outcome})`;
    if (call.outcome === 'hang') problems.push(`${name} hung`);
    if (ids.length > 1) problems.push(`${name} ran as ${ids.length} executions: ${ids.join(', ')}`);
    const execution = byId.get(ids[0] ?? '');
    if (ids[0] !== undefined && !execution) problems.push(`${name} ran as ${ids[0]}, which is not on record`);
    for (const step of ['1', '2']) {
      const count = steps.get(`${call.id} ${step}`) ?? 0;
      if (count > 1 && !repeats) problems.push(`${name} did step ${step} ${count} times, execution ${ids}`);
      if (count === 0 && execution?.status === 'success')
        problems.push(`${name} succeeded without step ${step}, execution ${ids}`);
    }
    if (call.outcome !== 200) continue;
    if (!execution) problems.push(`${name} has no execution`);
    if (!call.kind.isAtOnce && !call.text.includes(call.id))
      problems.push(`${name} got the answer of another call: ${call.text.slice(0, 200)}`);
    if (call.kind.path.startsWith('last-node') && execution && execution.status !== 'success')
      problems.push(`${name} was answered, and its execution ${ids} is ${execution.status}`);
  }
  for (const execution of executions) problems.push(...problemsOf(execution, evidence));
  return problems;
}

function problemsOf(execution: RecordedExecution, { kills, ownEnds }: Evidence): string[] {
  const { id, status, workflowName, startedAt, stoppedAt = Date.now(), takeovers = 0 } = execution;
  const name = `execution ${id} (${workflowName})`;
  if (isOpen(execution)) return [`${name} is still ${status}`];
  if (status === 'success') return [];
  if (status !== 'crashed') return [`${name} is ${status}: ${execution.error?.message ?? ''}`];
  const ends = [...kills.filter(({ kind }) => kind === 'worker').map(({ at }) => at), ...ownEnds];
  const hadCause = ends.some((at) => at > startedAt - TOLERANCE && at < stoppedAt + TOLERANCE);
  if (!hadCause) return [`${name} is crashed, and no worker ended meanwhile`];
  return takeovers > 3 ? [`${name} was taken over ${takeovers} times`] : [];
}

export function countBy<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
