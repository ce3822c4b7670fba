import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

async function open(): Promise<Engine> {
  const { engine } = await openEngine();
  onTestFinished(() => engine.close());
  return engine;
}

describe('within one input', () => {
  const items = [
    { a: 1, b: { c: 1, d: 2 } },
    { b: { d: 2, c: 1 }, a: 1 },
    { a: 1, b: { c: 2, d: 2 } },
  ];
  it.each([
    [{}, [items[0], items[2]]],
    [{ compare: 'selectedFields', fieldsToCompare: 'a' }, [items[0]]],
    [
      { compare: 'selectedFields', fieldsToCompare: 'b.d, a', options: { removeOtherFields: true } },
      [{ b: { d: 2 }, a: 1 }],
    ],
    [{ compare: 'allFieldsExcept', fieldsToExclude: 'b.c' }, [items[0]]],
  ])('compares by %j', async (parameters, unique) => {
    const engine = await open();
    for (const typeVersion of [1.1, 2]) {
      const node = { type: 'removeDuplicates', typeVersion, parameters };
      expect((await runWebhookNode(engine, node, items)).outputs).toEqual([unique]);
    }
  });

  it('needs fields of one type', async () => {
    const engine = await open();
    const parameters = { compare: 'selectedFields', fieldsToCompare: 'a' };
    const { error } = await runWebhookNode(engine, { type: 'removeDuplicates', parameters }, [
      { a: 1 },
      { a: '1' },
    ]);
    expect(error).toMatchObject({
      message: "'a' isn't always the same type",
      description: 'In item 0 it is a number, in item 1 a string.',
    });
    const none = { compare: 'selectedFields' };
    expect(
      (await runWebhookNode(engine, { type: 'removeDuplicates', parameters: none })).error!.message,
    ).toBe('No fields specified. Please add a field to compare on');
  });
});

describe('over several runs', () => {
  const dedupeWorkflow = (parameters: object) =>
    workflowOf(
      {
        Start: { type: 'manualTrigger' },
        Dedupe: {
          type: 'removeDuplicates',
          typeVersion: 2,
          parameters: { operation: 'removeItemsSeenInPreviousExecutions', ...parameters },
        },
      },
      ['Start -> Dedupe'],
    );

  /** Runs the stored workflow with these items. Returns `v` of the items of both outputs. */
  async function run(engine: Engine, parameters: object, input: JsonObject[], test = false) {
    const stored = await engine.workflows.get('w1');
    const workflow = await engine.workflows.put({
      ...dedupeWorkflow(parameters),
      staticData: stored?.staticData ?? {},
    });
    const output = [input.map((json, item) => ({ json, pairedItem: { item } }))];
    const call = { workflow: test ? structuredClone(workflow) : workflow, test, node: 'Start', output };
    const { state } = await (await engine.executions.start({ ...call, mode: test ? 'manual' : 'trigger' }))
      .done;
    const task = state.runData.Dedupe![0]!;
    return task.error ? task.error.message : task.data!.main!.map((list) => list?.map(({ json }) => json.v));
  }

  it('keeps items with new values', async () => {
    const engine = await open();
    const parameters = { dedupeValue: '={{ $json.v }}' };
    const long = 'x'.repeat(1000);
    const itemsOf = (...values: unknown[]) => values.map((v) => ({ v }));
    expect(await run(engine, parameters, itemsOf(1, 'a', long, 1))).toEqual([[1, 'a', long], [1]]);
    expect(await run(engine, parameters, itemsOf(2, 'a', long))).toEqual([[2], ['a', long]]);
    // A run of the editor reads the history, and does not change it.
    expect(await run(engine, parameters, itemsOf(3), true)).toEqual([[3], []]);
    expect(await run(engine, parameters, itemsOf(3))).toEqual([[3], []]);
    expect(JSON.stringify((await engine.workflows.get('w1'))!.staticData).length).toBeLessThan(200);
    await run(engine, { operation: 'clearDeduplicationHistory' }, itemsOf(0));
    expect(await run(engine, parameters, itemsOf(1))).toEqual([[1], []]);
  });

  it('remembers only as many values as the option says', async () => {
    const engine = await open();
    const parameters = { dedupeValue: '={{ $json.v }}', options: { historySize: 2 } };
    await run(engine, parameters, [{ v: 1 }, { v: 2 }, { v: 3 }]);
    expect(await run(engine, parameters, [{ v: 1 }, { v: 3 }])).toEqual([[1], [3]]);
  });

  it('keeps items whose number or date is above all earlier ones', async () => {
    const engine = await open();
    const key = { logic: 'removeItemsUpToStoredIncrementalKey', incrementalDedupeValue: '={{ $json.v }}' };
    expect(await run(engine, key, [{ v: 5 }, { v: 3 }])).toEqual([[5, 3], []]);
    expect(await run(engine, key, [{ v: '6' }, { v: 5 }])).toEqual([['6'], [5]]);
    expect(await run(engine, key, [{ v: 'x' }])).toBe('The value to compare must be a number, not "x"');
    const date = {
      logic: 'removeItemsUpToStoredDate',
      dateDedupeValue: '={{ $json.v }}',
      options: { scope: 'workflow' },
    };
    await run(engine, date, [{ v: '2024-05-01T00:00:00Z' }]);
    const later = '2024-05-01T02:00:00+01:00';
    expect(await run(engine, date, [{ v: later }, { v: '2024-04-30' }])).toEqual([[later], ['2024-04-30']]);
    expect(await run(engine, date, [{ v: 'soon' }])).toBe('The value to compare must be a date, not "soon"');
  });
});
