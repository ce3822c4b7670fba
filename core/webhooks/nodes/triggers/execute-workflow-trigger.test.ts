import { expect, it } from 'vitest';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { executeWorkflowTrigger } from './execute-workflow-trigger.ts';

it.each([
  [1, 'passthrough'],
  [1.1, 'workflowInputs'],
])('version %d accepts "%s" by default', (version, source) => {
  const context = parameterContext(executeWorkflowTrigger, {}, { version });
  expect(context.literal('inputSource')).toBe(source);
});

it('outputs one empty item where no workflow called it', async () => {
  const run = () => executeWorkflowTrigger.execute(parameterContext(executeWorkflowTrigger, {}));
  const [first, second] = [await run(), await run()];
  expect(first).toEqual([[{ json: {}, pairedItem: { item: 0 } }]]);
  expect(first[0]![0]!.json).not.toBe(second[0]![0]!.json);
});
