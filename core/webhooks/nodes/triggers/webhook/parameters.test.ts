import { expect, it } from 'vitest';
import { AUTHENTICATION, authenticationCredentials } from './parameters.ts';

it('names a credential for each authentication but none', () => {
  const values: string[] = [];
  const uses = authenticationCredentials((value) => {
    values.push(value);
    return { authentication: [value] };
  });
  expect(['none', ...values]).toEqual(Object.keys(AUTHENTICATION));
  expect(uses.map(({ show }) => show)).toEqual(values.map((value) => ({ authentication: [value] })));
});
