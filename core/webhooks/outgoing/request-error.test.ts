import { expect, it } from 'vitest';
import { RequestError } from './request-error.ts';

it('has an object for the error of an item', () => {
  const cause = new Error('socket');
  const error = new RequestError('refused', { code: 'ECONNREFUSED', description: 'Start it.', cause });
  expect(error).toMatchObject({
    name: 'NodeApiError',
    message: 'refused',
    description: 'Start it.',
    cause,
    json: { message: 'refused', name: 'Error', description: 'Start it.', code: 'ECONNREFUSED' },
  });
  expect(error.httpCode).toBeUndefined();
});

it('leaves its advice out of the item when the server answered', () => {
  const error = new RequestError('404 - "no"', { status: 404, kind: 'AxiosError', description: 'Check it.' });
  expect(error).toMatchObject({ httpCode: '404', description: 'Check it.' });
  expect(error.json).toEqual({ message: '404 - "no"', name: 'AxiosError', status: 404 });
});
