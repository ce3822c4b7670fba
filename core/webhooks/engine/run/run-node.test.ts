import { describe, expect, it } from 'vitest';
import {
  type Item,
  type NodeTask,
  type RunState,
  WorkflowGraph,
  type WorkflowNode,
} from '#core/workflow-format';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { runWorkflowNode } from './run-node.ts';
import type { WorkflowRunEvent } from './run-result.ts';
import { emptyState } from './run-state.ts';
import type { WorkflowRun } from './workflow-run.ts';

const items: Item[] = [{ json: { n: 0 } }, { json: { n: 1 } }];

interface SetUp {
  settings?: Partial<WorkflowNode>;
  state?: Partial<RunState>;
  test?: boolean;
  pinned?: Item[];
  outputs?: NodeType['outputs'];
  signal?: AbortSignal;
}

/** A run of one node `N`, whose type executes `execute`. */
function setUp(execute: NodeType['execute'], more: SetUp = {}) {
  const type = { ...nodeType, execute, ...(more.outputs && { outputs: more.outputs }) };
  const workflow = {
    ...workflowOf({ N: { type: 'test.node', ...more.settings } }, []),
    pinData: more.pinned ? { N: more.pinned } : {},
  };
  const host = createTestHost({ clock: new TestClock() });
  const state = { ...emptyState(), ...more.state };
  const events: [string, string][] = [];
  const run = {
    options: {
      workflow,
      executionId: '1',
      mode: 'webhook',
      test: more.test ?? false,
      state,
      signal: more.signal ?? new AbortController().signal,
      onEvent: (event: WorkflowRunEvent) => events.push([event.type, event.node]),
    },
    services: {
      host,
      nodeType: (name: string) => (name === 'test.node' ? type : undefined),
      binary: () => ({}),
      network: {},
      timezone: 'UTC',
      expressions: { evaluate: async (value: unknown) => value },
    },
    graph: new WorkflowGraph(workflow),
  } as unknown as WorkflowRun;
  const runOnce = (inputs: NodeTask['inputs'] = [items], sources: NodeTask['sources'] = [null]) =>
    runWorkflowNode(run, { node: 'N', inputs, sources });
  return { run, runOnce, state, events, host };
}

const nodeType: NodeType = {
  name: 'test.node',
  label: 'Node',
  description: '',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [],
  execute: async (context) => [context.items()],
};
const pass = nodeType.execute;
const failing = async () => {
  throw new NodeError('x');
};

describe('the record of a run', () => {
  it('has source, order, time, output and status', async () => {
    const source = { previousNode: 'Before', previousNodeOutput: 0, previousNodeRun: 0 };
    const { runOnce, state, events, host } = setUp(
      async (context) => {
        await (host.clock as TestClock).advance(25);
        return [context.items()];
      },
      { state: { executionIndex: 4 } },
    );
    const startTime = Math.floor(host.clock.now());
    const result = await runOnce([items], [source]);
    const output = [items.map((item, index) => ({ ...item, pairedItem: { item: index } }))];
    expect(result).toEqual({ runIndex: 0, output });
    expect(state.runData.N).toEqual([
      {
        startTime,
        executionIndex: 4,
        source: [source],
        hints: [],
        executionTime: 25,
        executionStatus: 'success',
        data: { main: output },
      },
    ]);
    expect([state.executionIndex, state.lastNode]).toEqual([5, 'N']);
    expect(events).toEqual([
      ['nodeStarted', 'N'],
      ['nodeFinished', 'N'],
    ]);
  });

  it('has no source for a trigger, and a number for each run', async () => {
    const { runOnce, state } = setUp(pass);
    expect((await runOnce()).runIndex).toBe(0);
    expect((await runOnce()).runIndex).toBe(1);
    expect(state.runData.N!.map(({ source, executionIndex }) => [source, executionIndex])).toEqual([
      [[], 0],
      [[], 1],
    ]);
  });

  it('waits if the node waits', async () => {
    const { runOnce, state } = setUp(async (context) => {
      context.wait({ kind: 'time', at: 9 });
      return [context.items()];
    });
    await runOnce();
    expect(state.runData.N![0]!.executionStatus).toBe('waiting');
    expect(state.wait).toEqual({ node: 'N', runIndex: 0, until: { kind: 'time', at: 9 } });
  });

  it('is cancelled with the execution', async () => {
    const controller = new AbortController();
    const { runOnce, state, events } = setUp(
      async () => {
        controller.abort(new Error('cancelled'));
        throw new Error('other');
      },
      { signal: controller.signal, settings: { onError: 'continueRegularOutput', retryOnFail: true } },
    );
    await expect(runOnce()).rejects.toThrow('other');
    expect(state.runData.N![0]).toMatchObject({ executionStatus: 'canceled' });
    expect(events).toHaveLength(2);
  });

  it('fails for a node that the workflow does not have', async () => {
    const { run } = setUp(pass);
    await expect(runWorkflowNode(run, { node: 'None', inputs: [], sources: [] })).rejects.toThrow(
      'the workflow has no node None',
    );
  });
});

describe('the output comes', () => {
  const never = async () => {
    throw new Error('the node ran');
  };

  it('from the caller for the first run of the first node', async () => {
    const output = [[{ json: { own: true } }]];
    const { runOnce, state } = setUp(pass, { state: { given: { node: 'N', output } } });
    expect((await runOnce()).output).toBe(output);
    expect(state).not.toHaveProperty('given');
    const other = setUp(pass, { state: { given: { node: 'Other', output } } });
    expect((await other.runOnce()).output).not.toBe(output);
    const later = setUp(pass, { state: { given: { node: 'N', output }, runData: { N: [{} as never] } } });
    expect((await later.runOnce()).output).not.toBe(output);
  });

  it('from pinned items in executions of the editor', async () => {
    const pinned: Item[] = [{ json: { p: 1 } }, { json: { p: 2 }, pairedItem: 7 }];
    expect((await setUp(never, { pinned, test: true }).runOnce()).output).toEqual([
      [
        { json: { p: 1 }, pairedItem: { item: 0 } },
        { json: { p: 2 }, pairedItem: 7 },
      ],
    ]);
    expect((await setUp(pass, { pinned }).runOnce()).output[0]![0]!.json).toEqual({ n: 0 });
  });

  it('from the first input if the node is disabled', async () => {
    const { runOnce } = setUp(never, { settings: { disabled: true } });
    expect((await runOnce()).output).toEqual([
      items.map((item, index) => ({ ...item, pairedItem: { item: index } })),
    ]);
    expect((await runOnce([null, items])).output).toEqual([[]]);
  });

  it('from the first item of each input if the node runs once', async () => {
    const all = async (context: NodeContext) => [context.items(0), context.items(1), context.items(2)];
    const { runOnce } = setUp(all, { settings: { executeOnce: true } });
    const { output } = await runOnce([items, null, [items[1]!]], [null, null, null]);
    expect(output.map((list) => list!.map(({ json }) => json.n))).toEqual([[0], [], [1]]);
  });
});

describe('a failing node', () => {
  const fail = (settings: Partial<WorkflowNode>, more: SetUp = {}) => setUp(failing, { ...more, settings });

  it('stops the workflow', async () => {
    const { runOnce, state } = fail({}, { state: { wait: {} as never } });
    const error = { name: 'NodeOperationError', message: 'x', node: 'N' };
    expect(await runOnce()).toEqual({ runIndex: 0, output: [], error });
    expect(state.runData.N![0]).toMatchObject({ executionStatus: 'error', error });
    expect(state.runData.N![0]).not.toHaveProperty('data');
    expect(state).not.toHaveProperty('wait');
  });

  it('passes its input on', async () => {
    const { runOnce, state } = fail({ onError: 'continueRegularOutput' });
    expect(await runOnce()).toEqual({ runIndex: 0, output: [items] });
    expect(state.runData.N![0]).toMatchObject({ executionStatus: 'error', data: { main: [items] } });
    expect((await runOnce([null, items])).output).toEqual([[]]);
  });

  it.each<[NodeType['outputs'], number]>([
    [['main'], 1],
    [['a', 'b'], 2],
    [() => ['a', 'b', 'c'], 3],
  ])('sends its input to the output behind %j', async (outputs, count) => {
    const { output } = await fail({ onError: 'continueErrorOutput' }, { outputs }).runOnce();
    expect(output).toEqual([
      ...Array(count).fill(null),
      items.map(({ json }, index) => ({ json: { ...json, error: 'x' }, pairedItem: { item: index } })),
    ]);
  });

  it('has one regular output if its type is unknown', async () => {
    const settings = { type: 'test.unknown', onError: 'continueErrorOutput' } as const;
    const { runOnce, state } = fail(settings);
    expect((await runOnce()).output.map((list) => list?.length ?? null)).toEqual([null, 2]);
    expect(state.runData.N![0]!.error).toMatchObject({
      message: 'Unrecognized node type: test.unknown',
      description: 'This server does not have this node. Replace it, or disable it to skip it.',
    });
  });

  it('is too old for its type', async () => {
    const { runOnce } = fail({ typeVersion: 0.5 });
    expect((await runOnce()).error?.message).toBe(
      'Version 0.5 of test.node is too old (known from 1): add a new "Node" node',
    );
  });

  it('is logged unless the author can correct the fault', async () => {
    const expected = fail({});
    await expected.runOnce();
    expect(expected.host.logged).toEqual([]);
    const { runOnce, host } = setUp(async () => {
      throw new TypeError('odd');
    });
    await runOnce();
    expect(host.logged).toMatchObject([{ level: 'debug', message: 'webhooks: a node failed' }]);
    expect(JSON.stringify(host.logged)).toContain('TypeError: odd');
  });
});

describe('retries', () => {
  it('run the node again after a pause, without the hints of the failed try', async () => {
    let tries = 0;
    const { runOnce, state, host } = setUp(
      async (context) => {
        context.hint(`try ${++tries}`);
        if (tries < 3) throw new Error('x');
        return [context.items()];
      },
      { settings: { retryOnFail: true, waitBetweenTries: 100 } },
    );
    const result = runOnce();
    const clock = host.clock as TestClock;
    await clock.advance(99);
    expect(tries).toBe(1);
    await clock.advance(101);
    expect((await result).error).toBeUndefined();
    expect(state.runData.N![0]!.hints).toEqual([{ message: 'try 3' }]);
  });

  it('end with the last try', async () => {
    let tries = 0;
    const { runOnce, host } = setUp(
      async () => {
        tries++;
        throw new Error(`x${tries}`);
      },
      { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 } },
    );
    const result = runOnce();
    await (host.clock as TestClock).advance(1000);
    expect([(await result).error?.message, tries]).toEqual(['x2', 2]);
  });
});

describe('Always Output Data', () => {
  const empty = { settings: { alwaysOutputData: true } };

  it('adds an empty item that is paired with all input items', async () => {
    const { runOnce } = setUp(async () => [[], null, []], { ...empty, outputs: ['a', 'b', 'c'] });
    expect((await runOnce()).output).toEqual([
      [{ json: {}, pairedItem: [{ item: 0 }, { item: 1 }] }],
      null,
      [],
    ]);
    expect((await runOnce([null, items])).output[0]).toEqual([{ json: {}, pairedItem: [] }]);
  });

  it('adds nothing if one output has items', async () => {
    const { runOnce } = setUp(async () => [null, [{ json: {}, pairedItem: 0 }]], empty);
    expect((await runOnce()).output).toEqual([null, [{ json: {}, pairedItem: 0 }]]);
  });
});

it('items that represent failures go to the error output', async () => {
  const { runOnce } = setUp(async () => [[{ json: { error: 'x' }, pairedItem: { item: 1 } }]], {
    settings: { onError: 'continueErrorOutput' },
  });
  expect((await runOnce()).output).toEqual([[], [{ json: { n: 1, error: 'x' }, pairedItem: { item: 1 } }]]);
});
