import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine({}, { limits: { code: { time: 1000 } } }));
});
afterAll(() => engine.close());

const sort = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, { type: 'sort', parameters }, input);

describe('Sort', () => {
  const items = [{ n: 'b', d: { x: 2 } }, { n: 'A', d: { x: 10 } }, { n: 'a', d: { x: 1 } }, { d: { x: 1 } }];
  const sortBy = (...sortField: object[]) => ({ sortFieldsUi: { sortField } });

  it('compares one field after the other, ignoring case', async () => {
    const fields = sortBy({ fieldName: 'n' }, { fieldName: 'd.x', order: 'descending' });
    expect(await sort(fields, items)).toEqual([items[3], items[1], items[2], items[0]]);
    expect(await sort(sortBy({ fieldName: 'd.x' }), items)).toEqual([items[2], items[3], items[0], items[1]]);
  });

  it('shuffles the items', async () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ n }));
    const shuffled = (await sort({ type: 'random' }, many)) as JsonObject[];
    expect(shuffled).not.toEqual(many);
    expect([...shuffled].sort((a, b) => Number(a.n) - Number(b.n))).toEqual(many);
  });

  it('explains missing fields and failing code', async () => {
    expect(await sort(sortBy(), items)).toEqual({
      error: 'No sorting specified. Please add a field to sort by',
    });
    expect(await sort({ type: 'code', code: 'a < b' }, items)).toEqual({
      error: "Sort code doesn't return. Please add a 'return' statement to your code",
    });
    expect(await sort({ type: 'code', code: '\nreturn a.json.no.thing' }, items)).toEqual({
      error: expect.stringContaining("cannot read property 'thing' of undefined"),
    });
    expect(await sort({ type: 'code', code: 'for(;;); return 1' }, items)).toEqual({
      error: expect.stringContaining('The code was stopped: it ran for too long'),
    });
  }, 60_000);
});
