import { describe, expect, it } from 'vitest';
import type { Item } from '#core/workflow-format';
import { failAllItems, splitFailures } from './error-output.ts';

const input: Item[] = [{ json: { a: 0 } }, { json: { a: 1 } }];

describe('splitFailures', () => {
  const good: Item = { json: { ok: true }, pairedItem: 0 };

  it.each<[title: string, item: Item, isFailure: boolean]>([
    ['an error alone', { json: { error: 'x' } }, true],
    ['an error with its message', { json: { error: 'x', message: 'y' } }, true],
    ['an error with another field', { json: { error: 'x', other: 'y' } }, false],
    ['an error, its message and another field', { json: { error: 'x', message: 'y', z: 1 } }, false],
    ['a message alone', { json: { message: 'y' } }, false],
    ['two other fields', { json: { message: 'y', other: 1 } }, false],
    ['no field', { json: {} }, false],
    ['an error outside of the fields', { json: { ok: true }, error: { message: 'x' } } as never, true],
  ])('%s', (_title, item, isFailure) => {
    const [regular, failed] = splitFailures([[good, item]], 1, [input]);
    expect(regular).toEqual(isFailure ? [good] : [good, item]);
    expect(failed).toEqual(isFailure ? [item] : []);
  });

  it('adds the fields of the paired input item', () => {
    const failure: Item = { json: { error: 'x' }, pairedItem: { item: 1 } };
    expect(splitFailures([[failure]], 1, [input])).toEqual([
      [],
      [{ json: { a: 1, error: 'x' }, pairedItem: { item: 1 } }],
    ]);
    const second: Item = { json: { error: 'x' }, pairedItem: { item: 0, input: 1 } };
    expect(splitFailures([[second]], 1, [input, [{ json: { b: 2 } }]])[1]).toEqual([
      { ...second, json: { b: 2, error: 'x' } },
    ]);
  });

  it('keeps only the error if the input item does not exist', () => {
    const failure: Item = { json: { error: 'x' }, pairedItem: { item: 9 } };
    expect(splitFailures([[failure]], 1, [null])[1]).toEqual([failure]);
  });

  it('puts the error output behind all regular outputs', () => {
    const failure: Item = { json: { error: 'x' } };
    expect(splitFailures([null, [failure, good]], 3, [input])).toEqual([null, [good], null, [failure]]);
  });
});

describe('failAllItems', () => {
  it('adds the error to each item of the first input', () => {
    expect(failAllItems([input, [{ json: { b: 2 } }]], new Error('x'))).toEqual([
      { json: { a: 0, error: 'x' }, pairedItem: { item: 0 } },
      { json: { a: 1, error: 'x' }, pairedItem: { item: 1 } },
    ]);
  });

  it('has no items without an input', () => {
    expect(failAllItems([null], 'x')).toEqual([]);
    expect(failAllItems([], 'x')).toEqual([]);
  });
});
