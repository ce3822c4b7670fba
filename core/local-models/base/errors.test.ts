import { describe, expect, test } from 'vitest';
import { ApiError } from '#core/http';
import { canceled, describeError } from './errors.ts';

describe('describeError', () => {
  test.each<[unknown, number, string]>([
    [new ApiError(404, 'x'), 404, 'x'],
    [canceled(), 499, 'request canceled'],
    [new DOMException('the client disconnected', 'AbortError'), 499, 'request canceled'],
    [new TypeError('bug'), 500, 'bug'],
    ['text', 500, 'text'],
    [undefined, 500, 'undefined'],
  ])('%s is %i %s', (error, status, message) => {
    expect(describeError(error)).toEqual({ status, message });
  });
});
