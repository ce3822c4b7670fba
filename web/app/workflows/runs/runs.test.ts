import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Execution, ExecutionWithData } from '../api-types.ts';
import { WorkflowRunList } from '../editor/run-list.ts';
import { ControlApiError, type WorkflowClient } from '../workflow-client.ts';
import { durationText, relativeTime, runDuration, triggerText } from '../workflow-texts.ts';
import { toItemTable } from './item-rows.ts';
import { RunPageState } from './run-state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const task = (executionIndex: number) => ({ executionIndex, executionStatus: 'success' });
const detail = (status: string) =>
  ({
    id: '7',
    status,
    data: { resultData: { runData: { B: [task(1), task(3)], A: [task(0)], C: [task(2)] } } },
  }) as unknown as ExecutionWithData;

it('sorts the steps of a run, and loads once for several events', async () => {
  const execution = vi.fn(async () => detail('running'));
  const state = new RunPageState({ execution } as unknown as WorkflowClient, '7');
  await state.load();
  expect(state.steps.map(({ node, runIndex }) => `${node}${runIndex}`)).toEqual(['A0', 'B0', 'C0', 'B1']);
  for (const executionId of ['7', '7', '8', '7'])
    state.onEvent({ type: 'nodeExecuteAfter', data: { executionId } });
  await vi.advanceTimersByTimeAsync(1000);
  expect(execution).toHaveBeenCalledTimes(2);
});

it('reports rejected requests and a missing run', async () => {
  const state = new RunPageState(
    {
      execution: async () => {
        throw new ControlApiError('none', 404);
      },
      retry: async () => {
        throw new ControlApiError('The run succeeded', 409);
      },
    } as unknown as WorkflowClient,
    '7',
  );
  await state.load();
  expect([state.missing, state.failure]).toEqual([true, undefined]);
  expect(await state.retry(true)).toBeUndefined();
  expect([state.failure, state.busy]).toEqual(['The run succeeded', false]);
});

it('keeps the list of runs sorted while it grows at both ends', async () => {
  const run = (id: number, status = 'success') => ({ id: String(id), status }) as Execution;
  const pages: Record<string, { data: Execution[]; nextCursor: string | null }> = {
    '': { data: [run(5), run(4)], nextCursor: 'c' },
    c: { data: [run(4), run(3)], nextCursor: null },
  };
  const client = { executions: async ({ cursor = '' }: { cursor?: string }) => pages[cursor]! };
  const runs = new WorkflowRunList(client as unknown as WorkflowClient, 'w', () => {});
  await runs.load();
  runs.onExecution(run(6, 'running'));
  runs.onExecution(run(6));
  expect([runs.list!.map(({ id }) => id), runs.hasMore]).toEqual([['6', '5', '4'], true]);
  await runs.loadMore();
  expect([runs.list!.map(({ id, status }) => id + status[0]), runs.hasMore]).toEqual([
    ['6s', '5s', '4s', '3s'],
    false,
  ]);
});

it('builds a table of items with different fields', () => {
  const items = [{ json: { a: 1, b: 'x' } }, { json: { b: null, c: { d: [1] } } }];
  expect(toItemTable(items)).toEqual({
    columns: ['a', 'b', 'c'],
    rows: [
      ['1', 'x', undefined],
      [undefined, 'null', '{"d":[1]}'],
    ],
  });
});

it.each([
  [999, '999 ms'],
  [4230, '4.2 s'],
  [180_000, '3 min'],
])('shows %d milliseconds as %s', (time, text) => expect(durationText(time)).toBe(text));

it('describes the time, the duration and the trigger of a run', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  expect(relativeTime('2026-01-01T11:58:00Z', now)).toBe('2 minutes ago');
  expect(relativeTime('2025-12-31T12:00:00Z', now)).toBe('yesterday');
  expect(runDuration({ startedAt: '2026-01-01T12:00:00.000Z', stoppedAt: '2026-01-01T12:00:00.250Z' })).toBe(
    '250 ms',
  );
  expect(runDuration({ startedAt: '2026-01-01T12:00:00Z', stoppedAt: null })).toBe('');
  const node = (type: string, parameters = {}) => ({
    type: `n8n-nodes-base.${type}`,
    parameters,
    name: type,
  });
  const nodes = [node('webhook', { httpMethod: ['GET', 'POST'], path: 'a' }), node('scheduleTrigger')];
  expect(triggerText({ nodes: nodes as never })).toBe('GET, POST /webhook/a · On a schedule');
  expect(triggerText({ nodes: [] })).toBe('No trigger yet');
});
