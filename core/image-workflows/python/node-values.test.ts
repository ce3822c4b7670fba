import { describe, expect, it } from 'vitest';
import { toInputValue, toOutputValue } from './node-values.ts';

describe('toInputValue', () => {
  const exact = { type: 'INT', exact: true };
  it.each([
    [{ type: 'INT' }, 5n, 5],
    [{ type: 'INT' }, 5.7, 5],
    [{ type: 'INT' }, true, 1],
    [{ type: 'FLOAT' }, 5n, 5],
    [{ type: 'FLOAT' }, 5.7, 5.7],
    [{ type: 'IMAGE,INT' }, 5n, 5],
    [{ type: 'STRING' }, 'x', 'x'],
    [{ type: 'BOOLEAN' }, true, true],
    [exact, 2n ** 63n, 2n ** 63n],
    [exact, 5.7, 5n],
    [exact, false, 0n],
    [{ type: '*' }, 5n, 5n],
    [{ type: { choices: [] } }, 5n, 5n],
    [undefined, 5n, 5n],
    [undefined, 5.5, 5.5],
  ])('%j receives %s as %s', (input, value, expected) => {
    expect(toInputValue(input, value)).toBe(expected);
  });
});

describe('toOutputValue', () => {
  it.each([
    ['INT', 5, 5n],
    ['INT', -5.7, -5n],
    ['INT', 5n, 5n],
    ['INT', 'x', 'x'],
    ['FLOAT', 5, 5],
    [['a'], 'a', 'a'],
  ])('%s stores %s as %s', (type, value, expected) => {
    expect(toOutputValue(type, value)).toBe(expected);
  });
});
