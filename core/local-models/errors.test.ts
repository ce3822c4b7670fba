import { expect, it } from 'vitest';
import { ApiError } from '#core/http';
import { errorResponse } from './errors.ts';

it.each(['/api/chat', '/v1/chat/completions', '/v1/messages'])(
  'a full queue of %s names a time to try again, other errors do not',
  (path) => {
    const headerOf = (status: number) =>
      errorResponse(new ApiError(status, 'm'), new URL(path, 'http://localhost')).headers.get('retry-after');
    expect([503, 500, 404].map(headerOf)).toEqual(['1', null, null]);
  },
);
