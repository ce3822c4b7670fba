import { expect, it } from 'vitest';
import { RecordsUnavailable } from '#core/host';
import { printCallError, printControlError } from './errors.ts';

it('a database that is away is 503, and strangers do not learn its address', async () => {
  const error = new RecordsUnavailable('the database 10.0.0.5/tabd cannot be used: it does not answer');
  const response = printCallError(error)!;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.text()).not.toContain('10.0.0.5');
  expect(await printControlError(error)!.json()).toEqual({ message: error.message });
});
