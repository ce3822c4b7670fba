import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item, Workflow } from '#core/workflow-format';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from './engine.ts';
import type { SubWorkflowCall } from './run/run-services.ts';
import { callWorkflow } from './sub-workflow.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
});
afterAll(() => engine.close());

const caller = workflowOf({ Call: { type: 'noOp' } }, [], { id: 'caller' });

async function callee(more: Partial<Workflow> = {}, parameters: Record<string, unknown> = {}) {
  const nodes = {
    Called: {
      type: 'executeWorkflowTrigger',
      typeVersion: 1.1,
      parameters: { inputSource: 'passthrough', ...parameters },
    },
    Pass: codeNode('return items.map(({ json, pairedItem }) => ({ json: { ...json, pairedItem } }))'),
  };
  await engine.workflows.put(
    workflowOf(nodes, ['Called -> Pass'], { id: 'callee', name: 'Callee', ...more }),
  );
}

const run = (call: Partial<SubWorkflowCall> = {}, depth = 0) =>
  callWorkflow(
    {
      target: { id: 'callee' },
      items: [{ json: { a: 1, b: 2 } }],
      wait: true,
      caller: { workflow: caller, executionId: '1', node: caller.nodes[0]!, depth },
      signal: new AbortController().signal,
      ...call,
    },
    engine,
  );
const json = async (items: Item[]) => (await run({ items }))[0]!.map((item) => item.json);

describe('the items of the called workflow', () => {
  it('are those of the caller, paired with themselves', async () => {
    await callee();
    const items: Item[] = [{ json: { a: 1 }, pairedItem: 7 }, { json: { a: 2 } }];
    expect(await json(items)).toEqual([
      { a: 1, pairedItem: { item: 0 } },
      { a: 2, pairedItem: { item: 1 } },
    ]);
  });

  it('have the declared fields only, null if missing', async () => {
    const values = [{ name: 'b' }, { name: '' }, {}, { name: 'c' }];
    await callee({}, { inputSource: 'workflowInputs', workflowInputs: { values } });
    expect(await json([{ json: { a: 1, b: 2 } }])).toEqual([{ b: 2, c: null, pairedItem: { item: 0 } }]);
  });

  it('have all fields if none is declared', async () => {
    await callee({}, { inputSource: 'workflowInputs', workflowInputs: {} });
    expect(await json([{ json: { a: 1 } }])).toEqual([{ a: 1, pairedItem: { item: 0 } }]);
  });

  it('have the fields of the JSON example', async () => {
    await callee({}, { inputSource: 'jsonExample', jsonExample: '{"a":0,"z":0}' });
    expect(await json([{ json: { a: 1, b: 2 } }])).toEqual([{ a: 1, z: null, pairedItem: { item: 0 } }]);
    await callee({}, { inputSource: 'jsonExample', jsonExample: '[1]' });
    expect(await json([{ json: { b: 2 } }])).toEqual([{ b: 2, pairedItem: { item: 0 } }]);
  });

  it('cannot be chosen by an invalid JSON example', async () => {
    await callee({}, { inputSource: 'jsonExample', jsonExample: '{' });
    await expect(run()).rejects.toThrow('The JSON example of the called workflow is not valid JSON');
  });
});

it('the output has no pairings: they refer to nodes of the called workflow', async () => {
  await callee();
  const [items] = await run();
  expect(items![0]).not.toHaveProperty('pairedItem');
});

describe('permission', () => {
  it.each<[Workflow['settings'], isAdmitted: boolean]>([
    [{}, true],
    [{ callerPolicy: 'any' }, true],
    [{ callerPolicy: 'none' }, false],
    [{ callerPolicy: 'workflowsFromAList', callerIds: 'other, caller' }, true],
    [{ callerPolicy: 'workflowsFromAList', callerIds: 'other' }, false],
    [{ callerPolicy: 'workflowsFromAList' }, false],
  ])('%j: %s', async (settings, isAdmitted) => {
    await callee({ settings });
    const outcome = run().then(
      () => true,
      (error: Error) => error.message,
    );
    expect(await outcome).toBe(
      isAdmitted || 'The workflow "Callee" (callee) does not let this workflow call it',
    );
  });

  it('a workflow may always call itself', async () => {
    await callee({ settings: { callerPolicy: 'none' } });
    const self = { ...caller, id: 'callee' };
    const [items] = await run({
      caller: { workflow: self, executionId: '1', node: self.nodes[0]!, depth: 0 },
    });
    expect(items).toHaveLength(1);
  });
});

describe('failures', () => {
  it('a workflow that does not exist', async () => {
    await expect(run({ target: { id: 'none' } })).rejects.toMatchObject({
      message: 'The workflow with the ID "none" does not exist',
    });
  });

  it('a workflow without an enabled trigger', async () => {
    const disabled = { Called: { type: 'executeWorkflowTrigger', disabled: true } };
    await expect(run({ target: { workflow: workflowOf(disabled, []) } })).rejects.toMatchObject({
      message: 'Missing node to start execution',
      description: 'Add an "Execute Workflow Trigger" to the workflow "Test".',
    });
  });

  it('workflows that call one another too often', async () => {
    await callee();
    expect(await run({}, 31)).toHaveLength(1);
    await expect(run({}, 32)).rejects.toThrow('Workflows call one another more than 32 deep');
  });

  it('a failed node, which the description names', async () => {
    const nodes = { Called: { type: 'executeWorkflowTrigger' }, Fail: codeNode("throw new Error('oh')") };
    await expect(run({ target: { workflow: workflowOf(nodes, ['Called -> Fail']) } })).rejects.toMatchObject({
      message: 'oh [line 1]',
      description: 'It failed in the workflow "Test", node "Fail".',
    });
  });
});

it('returns the items of the caller if it does not wait', async () => {
  await callee();
  const items: Item[] = [{ json: { mine: true }, pairedItem: 3 }];
  expect(await run({ items, wait: false })).toEqual([items]);
});
