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

const itemLists = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, { type: 'itemLists', typeVersion: 3, parameters }, input);

describe('Item Lists', () => {
  it.each([
    [{ fieldToSplitOut: 'l' }, [{ a: 1, l: [{ x: 1 }, { x: 2 }] }], [{ x: 1 }, { x: 2 }]],
    [
      { operation: 'concatenateItems', aggregate: 'aggregateAllItemData' },
      [{ a: 1 }, { a: 2 }],
      [{ data: [{ a: 1 }, { a: 2 }] }],
    ],
    [{ operation: 'removeDuplicates' }, [{ a: 1 }, { a: 1 }], [{ a: 1 }]],
    [
      { operation: 'sort', sortFieldsUi: { sortField: [{ fieldName: 'a' }] } },
      [{ a: 2 }, { a: 1 }],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      { operation: 'summarize', fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'a' }] } },
      [{ a: 2 }, { a: 1 }],
      [{ sum_a: 3 }],
    ],
  ])('runs the operation of %j', async (parameters, input, output) => {
    expect(await itemLists(parameters as JsonObject, input)).toEqual(output);
  });
});
