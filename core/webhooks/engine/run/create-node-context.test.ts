import { beforeEach, describe, expect, it } from 'vitest';
import type { Network } from '#core/host';
import {
  type Item,
  type TaskData,
  type Workflow,
  WorkflowGraph,
  type WorkflowNode,
} from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { nodeType } from '../../nodes/index.ts';
import { createNodeContext } from './create-node-context.ts';
import { emptyState } from './run-state.ts';
import type { WorkflowRun } from './workflow-run.ts';

const items: Item[] = [{ json: { n: 1 } }];
const source = { previousNode: 'Before', previousNodeOutput: 0, previousNodeRun: 0 };

let state: ReturnType<typeof emptyState>;
let controller: AbortController;
let calls: unknown[];
let record: TaskData;
beforeEach(() => {
  state = emptyState();
  controller = new AbortController();
  calls = [];
  record = { hints: [] as unknown[] } as TaskData;
});
const seen =
  (name: string) =>
  (...args: unknown[]) =>
    void calls.push([name, ...args]);

/** The context of the second run of a Limit node. */
function contextOf(settings: Partial<WorkflowNode> = {}, options: object = {}, services: object = {}) {
  const workflow = workflowOf({ N: { id: 'n', type: 'limit', ...settings } }, []);
  const node = workflow.nodes[0]!;
  const type: NodeType = nodeType('n8n-nodes-base.limit')!;
  const run = {
    options: {
      workflow,
      executionId: '7',
      mode: 'webhook',
      test: false,
      state,
      signal: controller.signal,
      ...options,
    },
    services: {
      host: createTestHost({ clock: new TestClock(5) }),
      nodeType,
      timezone: 'Asia/Tokyo',
      expressions: {
        evaluate: async (value: unknown, scope: { extra?: unknown }, index: number) => [
          value,
          index,
          scope.extra,
        ],
      },
      network: { fetch: async (...args: unknown[]) => args },
      binary: (id: string) => ({ filesOf: id }),
      credential: async (type: string, { name }: { name: string }) =>
        name === 'good' ? { type, secret: 's' } : undefined,
      callWorkflow: seen('callWorkflow'),
      ...services,
    },
    graph: new WorkflowGraph(workflow),
  } as unknown as WorkflowRun;
  const inputs = [items, null, []];
  return createNodeContext(run, { node, type, inputs, sources: [source, null], runIndex: 1, record });
}

it('describes the run', () => {
  expect(contextOf()).toMatchObject({
    version: 1,
    execution: { id: '7', mode: 'webhook' },
    runIndex: 1,
    timezone: 'Asia/Tokyo',
    inputs: 3,
    onError: 'stopWorkflow',
    continueOnFail: false,
    binary: { filesOf: '7' },
  });
  expect(contextOf({ onError: 'continueErrorOutput' }).continueOnFail).toBe(true);
  expect(contextOf().now()).toBe(5);
});

it('has the items and sources of its inputs', () => {
  const context = contextOf();
  expect([context.items(), context.items(1), context.items(9)]).toEqual([items, [], []]);
  expect([context.source(0), context.source(1)]).toEqual([source, undefined]);
  expect([0, 1, 2, 9].map((input) => context.isReached(input))).toEqual([true, false, true, false]);
});

describe('parameters', () => {
  it('are evaluated for an item', async () => {
    const context = contextOf({ parameters: { maxItems: '={{ 1 }}' } });
    expect(await context.parameter('maxItems', 3)).toEqual(['={{ 1 }}', 3, undefined]);
    expect(await context.parameter('keep', 0)).toEqual(['firstItems', 0, undefined]);
    expect(await context.evaluate('={{ 2 }}', 1, { x: 1 } as never)).toEqual(['={{ 2 }}', 1, { x: 1 }]);
  });

  it('have a fallback, which is not evaluated', async () => {
    expect(await contextOf().parameter('none', 0, '={{ 1 }}')).toBe('={{ 1 }}');
    expect(await contextOf().parameter('none', 0)).toBeUndefined();
  });

  it('may be literal', () => {
    const context = contextOf({ parameters: { maxItems: '={{ 1 }}' } });
    expect([context.literal('maxItems'), context.literal('keep'), context.literal('none', 4)]).toEqual([
      '={{ 1 }}',
      'firstItems',
      4,
    ]);
  });
});

describe('credentials', () => {
  it('are the data of the credential that the node names', async () => {
    const credentials = { basic: { id: '1', name: 'good' } };
    expect(await contextOf({ credentials }).credential('basic')).toEqual({ type: 'basic', secret: 's' });
  });

  it('must be named and exist', async () => {
    const missing = 'Node does not have any credentials set for "basic"';
    await expect(contextOf().credential('basic')).rejects.toThrow(missing);
    await expect(contextOf({ credentials: {} }).credential('basic')).rejects.toThrow(missing);
    const credentials = { basic: { id: '1', name: 'gone' } };
    await expect(contextOf({ credentials }).credential('basic')).rejects.toMatchObject({
      message: 'Credential "gone" of type "basic" does not exist',
      description: 'It was deleted, or the workflow was imported from elsewhere: choose another one.',
    });
  });
});

describe('data that is stored', () => {
  it('static data is shared by the workflow, or belongs to the node', () => {
    const context = contextOf();
    context.staticData('global').a = 1;
    context.staticData('node').b = 2;
    expect((context.workflow as Workflow).staticData).toEqual({ global: { a: 1 }, 'node:N': { b: 2 } });
    expect(context.staticData('node')).toEqual({ b: 2 });
  });

  it('memory exists only after its first use', () => {
    const context = contextOf();
    expect(state.memory).toEqual({});
    context.memory.n = 1;
    expect([state.memory, context.memory]).toEqual([{ N: { n: 1 } }, { n: 1 }]);
  });

  it('a wait is part of the state, hints are part of the record', () => {
    const context = contextOf();
    context.wait({ kind: 'webhook' });
    context.hint('slow');
    expect(state.wait).toEqual({ node: 'N', runIndex: 1, until: { kind: 'webhook' } });
    expect(record.hints).toEqual([{ message: 'slow' }]);
  });
});

describe('responses', () => {
  it('go to the call behind the run', async () => {
    const stream = async (...args: unknown[]) => {
      calls.push(['stream', ...args]);
      return true;
    };
    const context = contextOf({}, { responseSink: { respond: seen('respond'), stream } });
    context.respond('response' as never);
    expect(await context.stream('chunk' as never)).toBe(true);
    expect(calls).toEqual([
      ['respond', 'response', context.node],
      ['stream', 'chunk', context.node, 1],
    ]);
  });

  it('are dropped without one', async () => {
    const context = contextOf();
    context.respond('response' as never);
    context.console('line');
    expect(await context.stream('chunk' as never)).toBe(false);
  });
});

it('reports lines of the console', () => {
  contextOf({}, { onEvent: seen('event') }).console('line');
  expect(calls).toEqual([['event', { type: 'console', node: 'N', line: 'line' }]]);
});

it('calls other workflows one level deeper, and waits for them by default', async () => {
  const context = contextOf({}, { depth: 2 });
  await context.callWorkflow({ id: 'w2' }, items);
  await context.callWorkflow({ id: 'w2' }, items, { wait: false });
  await contextOf().callWorkflow({ id: 'w2' }, items);
  const { workflow, node, signal } = context;
  const expected = {
    target: { id: 'w2' },
    items,
    wait: true,
    caller: { workflow, executionId: '7', node, depth: 2 },
    signal,
  };
  expect(calls).toEqual([
    ['callWorkflow', expected],
    ['callWorkflow', { ...expected, wait: false }],
    ['callWorkflow', { ...expected, caller: { ...expected.caller, depth: 0 } }],
  ]);
});

it('runs code with the data of the run', async () => {
  const context = contextOf({}, {}, { runCode: seen('runCode') });
  await context.runCode('request' as never);
  const [[, request, scope, signal]] = calls as [[string, unknown, object, AbortSignal]];
  expect([request, signal]).toEqual(['request', controller.signal]);
  const { staticData, binary, console } = context;
  expect(scope).toMatchObject({ continueOnFail: false, staticData, binary, console, runIndex: 1 });
});

describe('the network', () => {
  const fetch: unknown = async (url: string, init: { signal: AbortSignal }) => [url, init.signal];

  it('ends requests with the execution, unless they have a signal', async () => {
    const { network } = contextOf({}, {}, { network: { fetch } });
    expect(await network.fetch('http://a')).toEqual(['http://a', controller.signal]);
    const { signal } = new AbortController();
    expect(await network.fetch('http://a', { signal })).toEqual(['http://a', signal]);
    expect(network.withRules).toBeUndefined();
  });

  it('also with other rules', async () => {
    const withRules = (rules: unknown) => ({ fetch, rules }) as unknown as Network;
    const { network } = contextOf({}, {}, { network: { fetch, withRules } });
    const other = network.withRules!('rules' as never);
    expect(other).toMatchObject({ rules: 'rules' });
    expect(await other.fetch('http://a')).toEqual(['http://a', controller.signal]);
  });
});

it('sleeps until the execution is cancelled', async () => {
  const sleeping = contextOf().sleep(1000);
  controller.abort(new Error('cancelled'));
  await expect(sleeping).rejects.toThrow('cancelled');
});
