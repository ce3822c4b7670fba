import { expect, it } from 'vitest';
import { ReportedError } from '../reported-error.ts';
import { toCodeFailure } from './failure.ts';

/** An error as QuickJS throws it. */
function thrown(error: Error, stack = '', name = error.name): Error {
  error.stack = stack;
  error.name = name;
  return error;
}

it.each([
  [thrown(new RangeError('far'), '    at f (code.js:3:7)\n    at <anonymous> (code.js:9)'), 'RangeError', 3],
  [thrown(new Error(''), '    at f (library.js:3)'), 'Error', undefined],
  [thrown(new Error('m'), '    at x (mycode.js:3)'), 'Error', undefined],
])('reports the line of the code that threw: %s', (error, name, line) => {
  const failure = { kind: 'thrown', name, message: error.message };
  expect(toCodeFailure(error, 0)).toStrictEqual(line === undefined ? failure : { ...failure, line });
});

it('has no line for an error without a stack', () => {
  const error = new Error('m');
  Object.defineProperty(error, 'stack', { value: undefined });
  expect(toCodeFailure(error, 0)).toStrictEqual({ kind: 'thrown', name: 'Error', message: 'm' });
});

it.each([
  ['text', '"text"'],
  [undefined, 'undefined'],
  [null, 'null'],
  [NaN, 'null'],
  [10n, '10'],
  [Symbol('s'), 'Symbol(s)'],
  [{ message: 'like an error' }, '{"message":"like an error"}'],
])('shows a thrown %s', (value, message) => {
  expect(toCodeFailure(value, 0)).toStrictEqual({ kind: 'thrown', message });
});

it.each([
  ['InternalError', 'out of memory', 'memory'],
  ['OutOfMemory', 'any message', 'memory'],
  ['InternalError', 'stack overflow', 'thrown'],
  ['Error', 'out of memory', 'thrown'],
])('takes a %s "%s" as %s', (name, message, kind) => {
  const failure = toCodeFailure(thrown(new Error(message), 'code.js:1', name), 0);
  expect(failure.kind).toBe(kind);
  if (kind === 'memory') expect(failure.message).toContain('too much memory');
});

it.each([
  [new ReportedError("Can't use .all() here", 'why'), { description: 'why', refused: true, itemIndex: 4 }],
  [new ReportedError('other', 'why'), { description: 'why' }],
  [new ReportedError('other'), {}],
])('reports an error of the server as one of an expression: %s', (error, more) => {
  const failure = { kind: 'thrown', name: 'ExpressionError', message: error.message, ...more };
  expect(toCodeFailure(thrown(error), 4)).toStrictEqual(failure);
});
