import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
});
afterAll(() => engine.close());

const summarize = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, { type: 'summarize', parameters }, input);

describe('Summarize', () => {
  const sales = [
    { city: 'Rome', n: 2, who: 'a' },
    { city: 'Oslo', n: 5, who: 'b' },
    { city: 'Rome', n: 4, who: 'a' },
    { city: 'Rome', n: null, who: 'c' },
  ];
  const values = (aggregation: string, field = 'n', more: object = {}) => ({
    fieldsToSummarize: { values: [{ aggregation, field, ...more }] },
  });

  it.each([
    ['count', { count_n: 3 }],
    ['sum', { sum_n: 11 }],
    ['average', { average_n: 11 / 3 }],
    ['min', { min_n: 2 }],
    ['max', { max_n: 5 }],
    ['append', { appended_n: [2, 5, 4] }],
    ['countUnique', { unique_count_n: 3 }],
    ['concatenate', { concatenated_n: '2,5,4' }],
  ])('aggregates by %s', async (aggregation, json) => {
    expect(await summarize(values(aggregation), sales)).toEqual([json]);
  });

  it('groups the items, into several or into one', async () => {
    const grouped = { ...values('sum'), fieldsToSplitBy: 'city' };
    expect(await summarize(grouped, sales)).toEqual([
      { city: 'Rome', sum_n: 6 },
      { city: 'Oslo', sum_n: 5 },
    ]);
    const nested = { ...grouped, fieldsToSplitBy: 'city, who', options: { outputFormat: 'singleItem' } };
    expect(await summarize(nested, sales)).toEqual([
      { Rome: { a: { sum_n: 6 }, c: { sum_n: 0 } }, Oslo: { b: { sum_n: 5 } } },
    ]);
  });

  it('includes empty values if asked to, and explains missing fields', async () => {
    expect(await summarize(values('count', 'n', { includeEmpty: true }), sales)).toEqual([{ count_n: 4 }]);
    expect(await summarize(values('sum', 'who'), sales)).toEqual({
      error: `The field 'who' holds "a", which is not a number`,
    });
    expect(await summarize(values('sum', 'nope'), sales)).toEqual({
      error: "The field 'nope' does not exist in any items",
    });
    expect(await summarize({}, sales)).toEqual({ error: 'You need to add at least one aggregation' });
  });
});
