import { beforeEach, describe, expect, it } from 'vitest';
import { type Item, type NodeOutput, WorkflowGraph } from '#core/workflow-format';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { type Flow, type FlowRules, nextTask, sendOutput } from './flow.ts';
import { emptyState } from './run-state.ts';

const item = (n: number): Item => ({ json: { n } });
const noOp = (x = 0, y = 0) => ({ type: 'noOp', position: [x, y] as [number, number] });

let flow: Flow;

function setUp(nodes: Parameters<typeof workflowOf>[0], edges: string[], rules: Partial<FlowRules> = {}) {
  flow = {
    state: emptyState(),
    graph: new WorkflowGraph(workflowOf(nodes, edges)),
    rules: { order: 'v1', inputs: () => 1, ...rules },
  };
}

const send = (node: string, ...output: NodeOutput) => sendOutput(flow, { node, runIndex: 0 }, output);
const queued = () => flow.state.queue.map(({ node }) => node);

describe('a node with one input', () => {
  beforeEach(() => setUp({ A: noOp(), B: noOp(), C: noOp() }, ['A -> B', 'A:1 -> C']));

  it('joins the queue with the items and their source', () => {
    sendOutput(flow, { node: 'A', runIndex: 3 }, [null, [item(1)]]);
    expect(flow.state.queue).toEqual([
      {
        node: 'C',
        inputs: [[item(1)]],
        sources: [{ previousNode: 'A', previousNodeOutput: 1, previousNodeRun: 3 }],
      },
    ]);
  });

  it('does not run without items', () => {
    send('A', [], []);
    expect(queued()).toEqual([]);
    expect(flow.state.partial).toEqual([]);
    expect(nextTask(flow)).toBeUndefined();
  });

  it('does not run if it does not lead to the chosen node', () => {
    flow.rules.only = new Set(['A', 'C']);
    send('A', [item(1)], [item(2)]);
    expect(queued()).toEqual(['C']);
  });

  it('has no items at inputs before the connected one', () => {
    setUp({ A: noOp(), B: noOp() }, ['A -> B:1']);
    send('A', [item(1)]);
    expect(flow.state.queue[0]).toMatchObject({ node: 'B', inputs: [null, [item(1)]] });
  });
});

describe('the order', () => {
  const nodes = { A: noOp(), Low: noOp(0, 200), Right: noOp(300, 100), Left: noOp(100, 100), Old: noOp() };
  const edges = ['A -> Low', 'A -> Right', 'A -> Left'];

  it('v1 runs targets from top left to bottom right, before older tasks', () => {
    setUp(nodes, edges);
    flow.state.queue.push({ node: 'Old', inputs: [[item(0)]], sources: [null] });
    send('A', [item(1)]);
    expect(queued()).toEqual(['Left', 'Right', 'Low', 'Old']);
  });

  it('v0 runs targets in the order of their connections, after older tasks', () => {
    setUp(nodes, edges, { order: 'v0' });
    flow.state.queue.push({ node: 'Old', inputs: [[item(0)]], sources: [null] });
    send('A', [item(1)]);
    expect(queued()).toEqual(['Old', 'Low', 'Right', 'Left']);
  });
});

describe('a node with several inputs', () => {
  const nodes = { A: noOp(), B: noOp(), Merge: noOp(), End: noOp() };
  const edges = ['A -> Merge', 'B -> Merge:1', 'Merge -> End'];
  const inputs = (name: string) => (name === 'Merge' ? 2 : 1);
  beforeEach(() => setUp(nodes, edges, { inputs }));

  it('waits until each connected input received an output', () => {
    send('A', [item(1)]);
    expect(queued()).toEqual([]);
    send('B', [item(2)]);
    expect(flow.state.partial).toEqual([]);
    expect(flow.state.queue).toMatchObject([{ node: 'Merge', inputs: [[item(1)], [item(2)]] }]);
  });

  it('waits for connected inputs only', () => {
    setUp(nodes, ['A -> Merge'], { inputs });
    send('A', [item(1)]);
    expect(flow.state.queue).toMatchObject([{ node: 'Merge', inputs: [[item(1)], null] }]);
  });

  it('runs if one of its inputs has items', () => {
    send('A', []);
    send('B', [item(2)]);
    expect(flow.state.queue).toMatchObject([{ node: 'Merge', inputs: [[], [item(2)]] }]);
  });

  it('does not run if all its inputs are empty', () => {
    send('A', []);
    send('B', []);
    expect([queued(), flow.state.partial]).toEqual([[], []]);
  });

  it('collects a second output of the same node for another run', () => {
    send('A', [item(1)]);
    send('A', [item(3)]);
    send('B', [item(2)]);
    expect(flow.state.queue).toMatchObject([{ inputs: [[item(1)], [item(2)]] }]);
    expect(flow.state.partial).toMatchObject([{ inputs: [[item(3)], null] }]);
  });

  it('runs incomplete when nothing else is left', () => {
    send('B', [item(2)]);
    expect(nextTask(flow)).toMatchObject({ node: 'Merge', inputs: [null, [item(2)]] });
    expect(nextTask(flow)).toBeUndefined();
  });

  it('is dropped without items when nothing else is left', () => {
    send('A', []);
    expect(nextTask(flow)).toBeUndefined();
    expect(flow.state.partial).toEqual([]);
  });

  it('runs after queued tasks', () => {
    send('B', [item(2)]);
    flow.state.queue.push({ node: 'A', inputs: [[item(0)]], sources: [null] });
    expect([nextTask(flow)?.node, nextTask(flow)?.node]).toEqual(['A', 'Merge']);
  });
});

describe('several incomplete nodes', () => {
  const inputs = () => 2;
  const runAll = (count: number) => Array.from({ length: count }, () => nextTask(flow)?.node);

  it('run after those that feed them, wherever they are', () => {
    setUp(
      { A: noOp(), Second: noOp(0, 50), First: noOp(0, 100), Third: noOp(0, 0), None: noOp() },
      [
        'A -> Second',
        'A -> First',
        'A -> Third',
        'First -> Second:1',
        'Second -> Third:1',
        'None -> First:1',
      ],
      { inputs },
    );
    send('A', [item(1)]);
    expect(runAll(4)).toEqual(['First', 'Second', 'Third', undefined]);
  });

  it('run by their position if none feeds only the others', () => {
    const edges = ['A -> Low', 'A -> High', 'A -> Mid', 'High -> Low:1', 'Low -> Mid:1', 'Mid -> High:1'];
    setUp({ A: noOp(), Low: noOp(0, 100), High: noOp(0, 0), Mid: noOp(0, 50) }, edges, { inputs });
    send('A', [item(1)]);
    expect(runAll(4)).toEqual(['High', 'Mid', 'Low', undefined]);
  });

  it('keep their items apart', () => {
    const edges = ['A -> X', 'B -> Y:1', 'None -> X:1', 'None -> Y'];
    setUp({ A: noOp(), B: noOp(), X: noOp(), Y: noOp(), None: noOp() }, edges, { inputs });
    send('A', [item(1)]);
    send('B', [item(2)]);
    expect(flow.state.partial.map(({ node, inputs: lists }) => [node, lists])).toEqual([
      ['X', [[item(1)], null]],
      ['Y', [null, [item(2)]]],
    ]);
  });
});

it('a node without inputs runs at once when items arrive', () => {
  setUp({ A: noOp(), B: noOp(), C: noOp() }, ['A -> B', 'C -> B'], { inputs: () => 0 });
  send('A', [item(1)]);
  expect(flow.state.queue).toEqual([
    { node: 'B', inputs: [[item(1)]], sources: [expect.objectContaining({ previousNode: 'A' })] },
  ]);
});

it('a node with one input runs once for each of its sources', () => {
  setUp({ A: noOp(), B: noOp(), C: noOp() }, ['A -> C', 'B -> C']);
  send('A', [item(1)]);
  send('B', [item(2)]);
  expect(flow.state.queue.map(({ inputs }) => inputs)).toEqual([[[item(2)]], [[item(1)]]]);
});
