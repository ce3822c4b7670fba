import { expect, it } from 'vitest';
import { openTestEngine, outputsOf, startCall } from '#test/support/webhooks/execution-engine.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const list = (values: object[]) => codeNode(`return ${JSON.stringify(values)}.map((json) => ({ json }));`);
const A = [{ id: 1, v: 'x' }, { id: 2, v: 'y', w: 1 }, { id: 3 }];
const B = [{ id: 1, v: 'x' }, { id: 2, v: 'Y', w: '1' }, { id: 4 }];

async function compare(parameters: object, version = 2.3) {
  const engine = await openTestEngine();
  const fields = { mergeByFields: { values: [{ field1: 'id', field2: 'id' }] } };
  const node = { type: 'compareDatasets', typeVersion: version, parameters: { ...fields, ...parameters } };
  const workflow = workflowOf({ Start: { type: 'manualTrigger' }, A: list(A), B: list(B), C: node }, [
    'Start -> A',
    'Start -> B',
    'A -> C:0',
    'B -> C:1',
  ]);
  const { id, done } = await engine.executions.start(startCall(workflow));
  const { state } = await done;
  expect(await outputsOf(engine, id, 'A')).toHaveLength(3);
  return state.runData.C![0]!.data!.main!.map((items) => items?.map(({ json }) => json));
}

it.each([
  [
    {},
    {
      keys: { id: 2 },
      same: {},
      different: { v: { inputA: 'y', inputB: 'Y' }, w: { inputA: 1, inputB: '1' } },
    },
  ],
  [{ resolve: 'preferInput2' }, B[1]],
  [
    { resolve: 'mix', exceptWhenMix: 'w' },
    { id: 2, v: 'y', w: '1' },
  ],
  [
    { options: { skipFields: 'w' } },
    {
      keys: { id: 2 },
      same: {},
      different: { v: { inputA: 'y', inputB: 'Y' } },
      skipped: { w: { inputA: 1, inputB: '1' } },
    },
  ],
])('%j shows a difference', async (parameters, difference) => {
  expect(await compare(parameters)).toEqual([[{ id: 3 }], [A[0]], [difference], [{ id: 4 }]]);
});

it('compares fuzzily', async () => {
  expect(await compare({ fuzzyCompare: true })).toEqual([[{ id: 3 }], [A[0], A[1]], [], [{ id: 4 }]]);
});

it('DebugHelper fails, passes on, and makes items', async () => {
  const engine = await openTestEngine();
  const debug = (parameters: object) => ({ type: 'debugHelper', parameters: { ...parameters } });
  expect(await runFirstOutput(engine, debug({ throwErrorMessage: 'x' }))).toEqual({ error: 'x' });
  expect(await runFirstOutput(engine, debug({ category: 'doNothing' }), [{ a: 1 }])).toEqual([{ a: 1 }]);
  for (const randomDataType of [
    'user',
    'address',
    'ipv4',
    'ipv6',
    'macAddress',
    'uuid',
    'url',
    'email',
    'semver',
  ]) {
    const node = debug({ category: 'randomData', randomDataType, randomDataCount: 2 });
    expect((await runWebhookNode(engine, node)).outputs[0]).toHaveLength(2);
  }
});
