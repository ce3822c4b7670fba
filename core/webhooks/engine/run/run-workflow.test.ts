/** `runWorkflow` and `flowRules` without an engine. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunState, WorkflowGraph } from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { nodeType } from '../../nodes/index.ts';
import type { WorkflowRunOptions } from './run-services.ts';
import { startAt } from './run-state.ts';
import { flowRules, RunCancelled, RunTimedOut, runWorkflow } from './runner.ts';

const noOp = nodeType('n8n-nodes-base.noOp')!;
const typeWith = (name: string, execute: NodeType['execute']): NodeType => ({ ...noOp, name, execute });
const TYPES: Record<string, NodeType> = {
  'test.pass': typeWith('test.pass', async (context) => [context.items()]),
  'test.wait': typeWith('test.wait', async (context) => {
    context.wait({ kind: 'webhook' });
    return [context.items()];
  }),
};

let controller: AbortController;
let state: RunState;
beforeEach(() => {
  controller = new AbortController();
  state = startAt('A');
});

function run(middle: string, more: Partial<WorkflowRunOptions> = {}) {
  const nodes = { A: { type: 'test.pass' }, Middle: { type: middle }, End: { type: 'test.pass' } };
  const workflow = workflowOf(nodes, ['A -> Middle', 'Middle -> End']);
  const options = { workflow, executionId: '1', mode: 'webhook', test: false, state, ...more } as const;
  return runWorkflow({ ...options, signal: controller.signal }, {
    host: createTestHost({ clock: new TestClock() }),
    nodeType: (name: string) => TYPES[name],
    binary: () => ({}),
    network: {},
    timezone: 'UTC',
  } as never);
}

describe('runWorkflow', () => {
  it('runs to the end, and reports the state after each node', async () => {
    const reported: (string | undefined)[] = [];
    const result = await run('test.pass', {
      onProgress: async ({ lastNode }) => void reported.push(lastNode),
    });
    expect(result).toEqual({ status: 'success', state });
    expect(reported).toEqual(['A', 'Middle', 'End']);
  });

  it('ends at a wait, before the following nodes', async () => {
    const reported: (string | undefined)[] = [];
    const result = await run('test.wait', {
      onProgress: async ({ lastNode }) => void reported.push(lastNode),
    });
    expect(result).toEqual({ status: 'waiting', state });
    expect([Object.keys(state.runData), state.queue]).toEqual([['A', 'Middle'], []]);
    expect(reported).toEqual(['A', 'Middle']);
  });

  it('ends at a failing node', async () => {
    const { status, error } = await run('test.unknown');
    expect([status, error]).toEqual(['error', expect.objectContaining({ node: 'Middle' })]);
    expect(Object.keys(state.runData)).toEqual(['A', 'Middle']);
  });

  it('reports a state that cannot be stored as an error', async () => {
    const result = await run('test.pass', {
      onProgress: async () => {
        throw new TypeError('full');
      },
    });
    expect(result).toEqual({
      status: 'error',
      state,
      error: { name: 'TypeError', message: 'full', node: 'A' },
    });
  });

  it.each([
    [new RunCancelled(), 'ExecutionCancelledError', 'The execution was cancelled'],
    [new RunCancelled('The server is closing'), 'ExecutionCancelledError', 'The server is closing'],
    [new RunTimedOut(), 'TimeoutExecutionCancelledError', 'The execution was cancelled because it timed out'],
    [new Error('other'), 'ExecutionCancelledError', 'The execution was cancelled'],
  ])('is cancelled by %s', async (reason, name, message) => {
    controller.abort(reason);
    expect(await run('test.pass')).toEqual({ status: 'canceled', state, error: { name, message } });
    expect(state.runData).toEqual({});
  });
});

describe('flowRules', () => {
  const nodes = {
    A: { type: 'noOp' },
    Merge: { type: 'merge', typeVersion: 3, parameters: { numberInputs: 4 } },
    Other: { type: 'noOp' },
    Odd: { type: 'odd.type' },
    End: { type: 'noOp' },
  };
  const workflow = workflowOf(nodes, ['A -> Merge', 'Merge -> End', 'A -> Other']);
  let lookups: string[];
  const rulesOf = (order?: string, destination?: string) => {
    lookups = [];
    const services = {
      nodeType: (name: string) => {
        lookups.push(name);
        return nodeType(name);
      },
    };
    const settings = { executionOrder: order } as never;
    return flowRules(new WorkflowGraph(workflow), { settings }, services, destination);
  };

  it.each([
    ['v1', 'v1'],
    ['v0', 'v0'],
    [undefined, 'v0'],
  ])('the order %s is %s', (order, expected) => {
    expect(rulesOf(order).order).toBe(expected);
  });

  it('counts the inputs of each node once', () => {
    const rules = rulesOf();
    const names = ['A', 'Merge', 'Odd', 'None', 'Merge'];
    expect(names.map((name) => rules.inputs(name))).toEqual([1, 4, 1, 1, 4]);
    expect(lookups.filter((name) => name === 'n8n-nodes-base.merge')).toHaveLength(1);
  });

  it('only nodes that lead to the chosen one may run', () => {
    expect(rulesOf('v1', 'Merge').only).toEqual(new Set(['A', 'Merge']));
    expect(rulesOf('v1')).not.toHaveProperty('only');
  });
});
