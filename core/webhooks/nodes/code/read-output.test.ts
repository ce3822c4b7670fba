import { describe, expect, it } from 'vitest';
import { readCodeItems, readItem } from './read-output.ts';

describe('the output of code for all items', () => {
  it.each([
    [null, []],
    [[], []],
    [{ a: 1 }, [{ json: { a: 1 } }]],
    [{}, [{ json: {} }]],
    [{ json: { a: 1 } }, [{ json: { a: 1 } }]],
    [
      [{ a: 1 }, {}],
      [{ json: { a: 1 } }, { json: {} }],
    ],
    [[{ binary: { f: {} } }], [{ json: {}, binary: { f: {} } }]],
    [[{ json: {}, binary: null }], [{ json: {} }]],
    [[{ json: {}, pairedItem: 0, error: 'e', index: 1, evaluationData: {} }], [{ json: {}, pairedItem: 0 }]],
    [
      [{ json: { a: 1 } }, {}],
      [{ json: { a: 1 } }, { json: {} }],
    ],
    [[{ json: undefined }], [{ json: {} }]],
  ])('%j is %j', (value, items) => expect(readCodeItems(value)).toEqual(items));

  it.each([
    [undefined, 'Unknown error'],
    [5, "Code doesn't return items properly"],
    ['', "Code doesn't return items properly"],
    [[null], "Code doesn't return items properly"],
    [[[]], "Code doesn't return items properly"],
    [[{ a: 1 }, 2], "Code doesn't return items properly"],
    [[{ json: {}, extra: 1 }], 'Invalid output format [item 0]'],
    [[{ json: {} }, { extra: 1 }], 'Unknown top-level item key: extra [item 1]'],
    [[{ json: null }], "A 'json' property isn't an object [item 0]"],
    [[{ json: {} }, { json: [1] }], "A 'json' property isn't an object [item 1]"],
  ])('%j is refused', (value, message) => expect(() => readCodeItems(value)).toThrow(message));
});

describe('the output of code for one item', () => {
  it.each([
    [null, undefined],
    [{ a: 1 }, { json: { a: 1 } }],
    [{ json: { a: 1 }, extra: 1 }, { json: { a: 1 } }],
    [{ binary: { f: {} } }, { json: {}, binary: { f: {} } }],
    [
      { json: {}, pairedItem: { item: 5 } },
      { json: {}, pairedItem: { item: 5 } },
    ],
  ])('%j is %j', (value, item) => expect(readItem(value, 0)).toEqual(item));

  it.each([undefined, 5, 'text', [], [{ json: {} }], { json: 'text' }, { json: null }])(
    '%j is refused',
    (value) => {
      expect(() => readItem(value, 3)).toThrow("A 'json' property isn't an object [item 3]");
    },
  );
});
