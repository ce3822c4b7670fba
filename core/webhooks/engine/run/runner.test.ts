import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { codeNode, ifNumber, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../engine.ts';
import type { RunResult } from './run-result.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
});
afterAll(() => engine.close());

const START = { Start: { type: 'manualTrigger' } };

async function run(workflow: Workflow, items: JsonObject[] = [{}], test = false): Promise<RunResult> {
  const output = [items.map((json, item) => ({ json, pairedItem: { item } }))];
  const mode = test ? 'manual' : 'trigger';
  const handle = await engine.executions.start({ workflow, mode, test, node: 'Start', output });
  return handle.done;
}

/** The names of the nodes in the order in which they ran. */
function order({ state }: RunResult): string[] {
  return Object.entries(state.runData)
    .flatMap(([name, tasks]) => tasks.map(({ executionIndex }) => ({ name, executionIndex })))
    .sort((a, b) => a.executionIndex - b.executionIndex)
    .map(({ name }) => name);
}

function json({ state }: RunResult, node: string, output = 0, at = -1): JsonObject[] | undefined {
  return state.runData[node]?.at(at)?.data?.main?.[output]?.map((item) => item.json);
}

describe('order', () => {
  const noOps = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'noOp' }]));
  const fork = {
    ...START,
    // The lower branch is connected first, the upper one runs first.
    Low: { type: 'noOp', position: [100, 200] as [number, number] },
    High: { type: 'noOp', position: [100, 0] as [number, number] },
    ...noOps('Low 2', 'High 2'),
  };
  const edges = ['Start -> Low', 'Start -> High', 'Low -> Low 2', 'High -> High 2'];

  it('finishes a branch before it begins the one below', async () => {
    expect(order(await run(workflowOf(fork, edges)))).toEqual(['Start', 'High', 'High 2', 'Low', 'Low 2']);
  });

  it('runs level by level in the older order', async () => {
    const older = workflowOf(fork, edges, { settings: {} });
    expect(order(await run(older))).toEqual(['Start', 'Low', 'High', 'Low 2', 'High 2']);
  });

  it('runs branches of the same height from left to right', async () => {
    const nodes = { ...START, ...noOps('B', 'A') };
    expect(order(await run(workflowOf(nodes, ['Start -> A', 'Start -> B'])))).toEqual(['Start', 'B', 'A']);
  });
});

describe('several inputs', () => {
  const merge = { type: 'merge', typeVersion: 3, parameters: {} };

  it('waits for every branch', async () => {
    const nodes = { ...START, A: setFields({ from: 'a' }), B: setFields({ from: 'b' }), Merge: merge };
    const result = await run(workflowOf(nodes, ['Start -> A', 'Start -> B', 'A -> Merge', 'B -> Merge:1']));
    expect(result.state.runData.Merge).toHaveLength(1);
    expect(json(result, 'Merge')).toEqual([{ from: 'a' }, { from: 'b' }]);
    expect(result.state.runData.Merge![0]!.source).toEqual([
      { previousNode: 'A', previousNodeOutput: 0, previousNodeRun: 0 },
      { previousNode: 'B', previousNodeOutput: 0, previousNodeRun: 0 },
    ]);
  });

  it('continues with the items of the other input when a branch gets none', async () => {
    const nodes = { ...START, If: ifNumber('={{ $json.n }}', 'gt', 1), Merge: merge, End: { type: 'noOp' } };
    const edges = ['Start -> If', 'If -> Merge', 'If:1 -> Merge:1', 'Merge -> End'];
    const result = await run(workflowOf(nodes, edges), [{ n: 2 }]);
    expect(json(result, 'Merge')).toEqual([{ n: 2 }]);
    expect(order(result)).toEqual(['Start', 'If', 'Merge', 'End']);
  });

  it('runs a node before the one that it feeds', async () => {
    const never = ifNumber('={{ 1 }}', 'gt', 2);
    const nodes = { ...START, Last: merge, First: merge, If: never, A: { type: 'noOp' } };
    const edges = [
      'Start -> If',
      'Start -> A',
      'A -> First',
      'If -> First:1',
      'First -> Last',
      'If -> Last:1',
    ];
    expect(order(await run(workflowOf(nodes, edges)))).toEqual(['Start', 'If', 'A', 'First', 'Last']);
  });

  it('does not run nodes that get no items', async () => {
    const nodes = { ...START, If: ifNumber('={{ 1 }}', 'gt', 2), Merge: merge };
    const result = await run(workflowOf(nodes, ['Start -> If', 'If -> Merge', 'If -> Merge:1']));
    expect(result.state.runData.Merge).toBeUndefined();
    expect(result.status).toBe('success');
  });
});

describe('loops', () => {
  const loop = { type: 'splitInBatches', typeVersion: 3, parameters: { batchSize: 2 } };
  const edges = ['Start -> Loop', 'Loop:1 -> Work', 'Work -> Loop', 'Loop -> Done'];
  const items = [1, 2, 3, 4, 5].map((n) => ({ n }));

  it('repeats until all items are processed', async () => {
    const nodes = {
      ...START,
      Loop: loop,
      Work: setFields({ seen: '={{ $runIndex }}' }),
      Done: { type: 'noOp' },
    };
    const result = await run(workflowOf(nodes, edges), items);
    expect(result.state.runData.Work!.map((task) => task.data!.main![0]!.length)).toEqual([2, 2, 1]);
    expect(json(result, 'Done')).toEqual(items.map(({ n }, index) => ({ n, seen: String(index >> 1) })));
  });

  it('keeps items paired with those from before the loop', async () => {
    const nodes = {
      ...START,
      Loop: loop,
      Work: setFields({ same: "={{ $('Start').item.json.n }}" }),
      Done: { type: 'noOp' },
    };
    const result = await run(workflowOf(nodes, edges), items);
    expect(json(result, 'Done')).toEqual(items.map(({ n }) => ({ n, same: String(n) })));
  });

  it('reports its progress to expressions', async () => {
    const nodes = {
      ...START,
      Loop: loop,
      Work: setFields({ last: "={{ $('Loop').context.noItemsLeft }}" }),
      Done: { type: 'noOp' },
    };
    const result = await run(workflowOf(nodes, edges), items);
    expect(json(result, 'Done')!.map(({ last }) => last)).toEqual([
      'false',
      'false',
      'false',
      'false',
      'true',
    ]);
  });
});

describe('paired items', () => {
  it('are followed back over filters, branches and merges', async () => {
    const nodes = {
      ...START,
      If: ifNumber('={{ $json.n }}', 'gt', 1),
      Only: codeNode(
        'return items.map(({ json }, item) => ({ json: { half: json.n / 2 }, pairedItem: item }))',
      ),
      Back: setFields({
        was: "={{ $('Start').item.json.n }}",
        index: "={{ $('Start').itemMatching(0).json.n }}",
      }),
    };
    const result = await run(workflowOf(nodes, ['Start -> If', 'If -> Only', 'Only -> Back']), [
      { n: 1 },
      { n: 4 },
      { n: 6 },
    ]);
    expect(json(result, 'Back')).toEqual([
      { half: 2, was: '4', index: '4' },
      { half: 3, was: '6', index: '4' },
    ]);
  });

  it('report a lost link with a remedy', async () => {
    const nodes = {
      ...START,
      Cut: codeNode('return [{ a: 1 }, { a: 2 }, { a: 3 }]'),
      Back: setFields({ x: "={{ $('Start').item.json.n }}" }),
    };
    const { status, error } = await run(workflowOf(nodes, ['Start -> Cut', 'Cut -> Back']), [
      { n: 1 },
      { n: 2 },
    ]);
    expect(status).toBe('error');
    expect(error).toMatchObject({
      message: "Paired item data for item from node 'Start' is unavailable",
      node: 'Back',
    });
    expect(error!.description).toContain('.first()');
  });
});

describe("a node's settings", () => {
  const failing = (more: object) => ({ ...codeNode("throw new Error('no')"), ...more });
  const edges = ['Start -> Fails', 'Fails -> Ok', 'Fails:1 -> Err'];
  const nodes = (more: object) => ({
    ...START,
    Fails: failing(more),
    Ok: { type: 'noOp' },
    Err: { type: 'noOp' },
  });

  it('stops the workflow at a failure', async () => {
    const result = await run(workflowOf(nodes({}), edges));
    expect(result).toMatchObject({ status: 'error', error: { message: 'no [line 1]', node: 'Fails' } });
    expect(order(result)).toEqual(['Start', 'Fails']);
    expect(result.state.runData.Fails![0]).toMatchObject({ executionStatus: 'error' });
  });

  it('continues with the error as an item', async () => {
    const result = await run(workflowOf(nodes({ onError: 'continueRegularOutput' }), edges));
    expect(result.status).toBe('success');
    expect(json(result, 'Ok')).toEqual([{ error: 'no [line 1]' }]);
  });

  it('sends failed items to the error output', async () => {
    const each = codeNode("if ($json.n > 1) throw new Error('big'); return $json", 'runOnceForEachItem');
    const workflow = workflowOf({ ...nodes({}), Fails: { ...each, onError: 'continueErrorOutput' } }, edges);
    const result = await run(workflow, [{ n: 1 }, { n: 2 }]);
    expect(json(result, 'Ok')).toEqual([{ n: 1 }]);
    expect(json(result, 'Err')).toEqual([{ n: 2, error: 'big [line 1]' }]);
  });

  it('passes on the input when the node itself failed', async () => {
    const stop = {
      type: 'stopAndError',
      parameters: { errorMessage: 'halt' },
      onError: 'continueRegularOutput' as const,
    };
    const result = await run(workflowOf({ ...nodes({}), Fails: stop }, edges), [{ n: 1 }]);
    expect(json(result, 'Ok')).toEqual([{ n: 1 }]);
    expect(result.state.runData.Fails![0]).toMatchObject({
      executionStatus: 'error',
      error: { message: 'halt' },
    });
  });

  it('tries again after a pause', async () => {
    const flaky = codeNode(
      "const s = $getWorkflowStaticData('global'); s.tries = (s.tries || 0) + 1; return { tries: s.tries }",
    );
    const workflow = workflowOf(
      { ...START, Fails: { ...flaky, retryOnFail: true, maxTries: 2, waitBetweenTries: 30 } },
      ['Start -> Fails'],
    );
    expect(json(await run(workflow), 'Fails')).toEqual([{ tries: 1 }]);
    const always = { ...failing({ retryOnFail: true, maxTries: 3, waitBetweenTries: 20 }) };
    const began = Date.now();
    const result = await run(workflowOf({ ...START, Fails: always }, ['Start -> Fails']));
    expect(result.status).toBe('error');
    expect(result.state.runData.Fails).toHaveLength(1);
    expect(Date.now() - began).toBeGreaterThanOrEqual(40);
  });

  it('sends only items that fail at the last try to the error output', async () => {
    const flaky = codeNode(
      "const s = $getWorkflowStaticData('global'); s.tries = (s.tries || 0) + 1; if (s.tries < items[0].json.n) throw new Error('try ' + s.tries); return { tries: s.tries }",
    );
    const settings = {
      retryOnFail: true,
      maxTries: 2,
      waitBetweenTries: 1,
      onError: 'continueErrorOutput' as const,
    };
    const workflow = (n: number) => ({
      n,
      // Static data is kept between the tries: the code itself counts them.
      workflow: workflowOf({ ...nodes({}), Fails: { ...flaky, ...settings } }, edges),
    });
    const few = workflow(1);
    expect(json(await run(few.workflow, [{ n: few.n }]), 'Ok')).toEqual([{ tries: 1 }]);
    const many = workflow(9);
    const result = await run(many.workflow, [{ n: many.n }]);
    expect(result.status).toBe('success');
    expect(result.state.runData.Ok).toBeUndefined();
    expect(json(result, 'Err')).toEqual([{ n: 9, error: expect.stringMatching(/^try \d \[line 1\]$/) }]);
    expect(result.state.runData.Fails![0]!.data!.main).toHaveLength(2);
  });

  it('can be cancelled in the pause between tries', async () => {
    const slow = failing({ retryOnFail: true, maxTries: 5, waitBetweenTries: 5000 });
    const handle = await engine.executions.start({
      workflow: workflowOf({ ...START, Fails: slow }, ['Start -> Fails']),
      mode: 'trigger',
      node: 'Start',
      output: [[{ json: {} }]],
    });
    const began = Date.now();
    setTimeout(() => handle.cancel(), 100);
    expect((await handle.done).status).toBe('canceled');
    expect(Date.now() - began).toBeLessThan(3000);
  });

  it('always has an item on the regular output, even if failures went to the error output', async () => {
    const each = codeNode("throw new Error('no')", 'runOnceForEachItem');
    const settings = { alwaysOutputData: true, onError: 'continueErrorOutput' as const };
    const empty = { ...codeNode('return []'), ...settings };
    const none = await run(workflowOf({ ...nodes({}), Fails: empty }, edges), [{ n: 1 }]);
    expect([json(none, 'Ok'), json(none, 'Err')]).toEqual([[{}], undefined]);
    const failed = await run(workflowOf({ ...nodes({}), Fails: { ...each, ...settings } }, edges), [
      { n: 1 },
    ]);
    expect([json(failed, 'Ok'), json(failed, 'Err')]).toEqual([undefined, [{ n: 1, error: 'no [line 1]' }]]);
  });

  it('adds an empty item, takes only the first item, skips disabled nodes', async () => {
    const none = { ...codeNode('return []'), alwaysOutputData: true };
    const result = await run(
      workflowOf(
        {
          ...START,
          None: none,
          Once: { ...codeNode('return items'), executeOnce: true },
          Off: { ...codeNode('throw 1'), disabled: true },
          After: { type: 'noOp' },
        },
        ['Start -> None', 'Start -> Once', 'Start -> Off', 'Off -> After'],
      ),
      [{ n: 1 }, { n: 2 }],
    );
    expect(json(result, 'None')).toEqual([{}]);
    expect(json(result, 'Once')).toEqual([{ n: 1 }]);
    expect(json(result, 'After')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('reports an unknown node type', async () => {
    const result = await run(workflowOf({ ...START, X: { type: 'community.thing' } }, ['Start -> X']));
    expect(result.error).toMatchObject({ message: 'Unrecognized node type: community.thing', node: 'X' });
  });
});

describe('pinned output', () => {
  const workflow = workflowOf({ ...START, Pinned: codeNode('return { real: 1 }') }, ['Start -> Pinned'], {
    pinData: { Pinned: [{ json: { pinned: 1 } }] },
  });
  it('is used in runs of the editor only', async () => {
    expect(json(await run(workflow, [{}], true), 'Pinned')).toEqual([{ pinned: 1 }]);
    expect(json(await run(workflow), 'Pinned')).toEqual([{ real: 1 }]);
  });
});

describe('an execution ends', () => {
  const slow = workflowOf(
    { ...START, Slow: codeNode('await new Promise((r) => setTimeout(r, 20_000)); return []') },
    ['Start -> Slow'],
  );

  it('when it is cancelled', async () => {
    const handle = await engine.executions.start({
      workflow: slow,
      mode: 'trigger',
      node: 'Start',
      output: [[{ json: {} }]],
    });
    setTimeout(() => handle.cancel(), 50);
    expect(await handle.done).toMatchObject({
      status: 'canceled',
      error: { message: 'The execution was cancelled' },
    });
    expect((await engine.executions.get(handle.id))!.summary).toMatchObject({
      status: 'canceled',
      finished: false,
    });
  });

  it('at its time limit', async () => {
    const limited = { ...slow, settings: { ...slow.settings, executionTimeout: 0.1 } };
    expect(await run(limited)).toMatchObject({
      status: 'canceled',
      error: { message: 'The execution was cancelled because it timed out' },
    });
  });

  it('with the execution that called it', async () => {
    const controller = new AbortController();
    const call = { workflow: slow, mode: 'trigger', node: 'Start', signal: controller.signal } as const;
    const handle = await engine.executions.start({ ...call, output: [[{ json: {} }]] });
    controller.abort();
    expect((await handle.done).status).toBe('canceled');
  });

  it('at a chosen node', async () => {
    const nodes = { ...START, A: { type: 'noOp' }, B: { type: 'noOp' }, Aside: { type: 'noOp' } };
    const workflow = workflowOf(nodes, ['Start -> A', 'A -> B', 'Start -> Aside']);
    const handle = await engine.executions.start({
      workflow,
      mode: 'manual',
      test: true,
      node: 'Start',
      destination: 'A',
    });
    expect(order(await handle.done)).toEqual(['Start', 'A']);
  });
});
