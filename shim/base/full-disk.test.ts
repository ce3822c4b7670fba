import { expect, test } from 'vitest';
import { isDiskFullError } from './full-disk.ts';

const failure = (code?: string) => Object.assign(new Error('write'), code === undefined ? {} : { code });

test.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['EFBIG', false],
  ['EACCES', false],
  ['enospc', false],
  [undefined, false],
])('an error with the code %s: %s', (code, isFull) => {
  expect(isDiskFullError(failure(code))).toBe(isFull);
});

test.each(['ENOSPC', 28, {}])('the value %j is no such error', (value) => {
  expect(isDiskFullError(value)).toBe(false);
});
