import { expect, it } from 'vitest';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { errorTrigger } from './error-trigger.ts';

it('outputs an example with the ids of this execution', async () => {
  const more = { workflow: { id: 'w', name: 'N' } as never, execution: { id: '7', mode: 'manual' as const } };
  const [items] = await errorTrigger.execute(parameterContext(errorTrigger, {}, { more }));
  expect(items).toHaveLength(1);
  expect(items![0]!.json).toMatchObject({
    execution: { id: '7', mode: 'manual', error: { message: 'Example Error Message' } },
    workflow: { id: 'w', name: 'N' },
  });
});
