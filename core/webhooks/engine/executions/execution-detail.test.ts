import { describe, expect, it } from 'vitest';
import type { ExecutionSummary, RunState, Workflow } from '#core/workflow-format';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { emptyState, startAt } from '../run/run-state.ts';
import { isSaved, toDetail, toState } from './execution-detail.ts';

const workflow = workflowOf({ A: { type: 'noOp' } }, []);

describe('toDetail', () => {
  it('records no remaining work at the end', () => {
    expect(toDetail(workflow, emptyState())).toEqual({
      workflowData: workflow,
      data: { version: 1, startData: {}, resultData: { runData: {} } },
    });
  });

  it('records last node, error and pinned items', () => {
    const error = { name: 'E', message: 'm' };
    const pinned = { ...workflow, pinData: { A: [{ json: {} }] } };
    expect(toDetail(pinned, { ...emptyState(), lastNode: 'A' }, error).data.resultData).toEqual({
      runData: {},
      lastNodeExecuted: 'A',
      error,
      pinData: pinned.pinData,
    });
  });

  it.each<[string, Partial<RunState>]>([
    ['queue', { queue: startAt('A').queue }],
    ['partial', { partial: startAt('A').queue }],
    ['wait', { wait: { node: 'A', runIndex: 0, until: { kind: 'time', at: 0 } } }],
  ])('keeps remaining work: %s', (_title, work) => {
    const state = { ...emptyState(), ...work, lastNode: 'A' };
    expect(toState(toDetail(workflow, state))).toEqual(state);
  });

  it('has no state without remaining work', () => {
    expect(toState(toDetail(workflow, { ...emptyState(), lastNode: 'A' }))).toBeUndefined();
  });
});

describe('isSaved', () => {
  const server = { saveManual: true, saveSuccess: true, saveError: true };
  const none = { saveManual: false, saveSuccess: false, saveError: false };
  const saved = (
    status: string,
    settings: Workflow['settings'] = {},
    defaults: typeof server = server,
    test = false,
  ) => isSaved({ status, test } as ExecutionSummary, { ...workflow, settings }, defaults);

  it.each<[status: string, Workflow['settings'], typeof server, boolean]>([
    ['success', {}, server, true],
    ['success', {}, { ...server, saveSuccess: false }, false],
    ['success', {}, { ...none, saveSuccess: true }, true],
    ['success', { saveDataSuccessExecution: 'all' }, none, true],
    ['success', { saveDataSuccessExecution: 'none' }, server, false],
    ['success', { saveDataSuccessExecution: 'DEFAULT' } as never, server, true],
    ['error', {}, { ...none, saveError: true }, true],
    ['error', {}, { ...server, saveError: false }, false],
    ['canceled', { saveDataErrorExecution: 'none' }, server, false],
    ['error', { saveDataErrorExecution: 'all' }, none, true],
  ])('%s, workflow %j, server %j: %s', (status, settings, defaults, expected) => {
    expect(saved(status, settings, defaults)).toBe(expected);
  });

  it.each<[Workflow['settings'], boolean, boolean]>([
    [{}, true, true],
    [{}, false, false],
    [{ saveManualExecutions: true }, false, true],
    [{ saveManualExecutions: false }, true, false],
    [{ saveDataSuccessExecution: 'none' }, true, true],
  ])('by the editor, workflow %j, server %s: %s', (settings, saveManual, expected) => {
    expect(saved('success', settings, { ...server, saveManual }, true)).toBe(expected);
  });
});
