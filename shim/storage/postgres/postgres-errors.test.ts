import { expect, test } from 'vitest';
import { isConnectionLost } from './postgres-errors.ts';

test.each([
  // `pg` says this of statements on a client whose connection has failed.
  ['Client has encountered a connection error and is not queryable', undefined, true],
  ['Connection terminated unexpectedly', undefined, true],
  ['terminating connection due to unexpected postmaster exit', '57P01', true],
  ['duplicate key value violates unique constraint', '23505', false],
])('work is repeated after a lost connection: %s', (message, code, isLost) => {
  expect(isConnectionLost(Object.assign(new Error(message), { code }))).toBe(isLost);
});
