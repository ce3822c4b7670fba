import { describe, expect, test } from 'vitest';
import { StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import { canceled, describeError } from './errors.ts';

describe('describeError', () => {
  test.each<[unknown, number, string]>([
    [new ApiError(404, 'x'), 404, 'x'],
    [canceled(), 499, 'request canceled'],
    [new DOMException('the client disconnected', 'AbortError'), 499, 'request canceled'],
    [new TypeError('bug'), 500, 'bug'],
    [new StorageFull('no space left'), 507, 'no space left'],
    [
      Object.assign(new Error("EIO: i/o error, unlink '/home/me/.tabd/blobs/x'"), {
        code: 'EIO',
        syscall: 'unlink',
      }),
      500,
      'the computer reported EIO for the operation unlink',
    ],
    ['text', 500, 'text'],
    [undefined, 500, 'undefined'],
  ])('%s is %i %s', (error, status, message) => {
    expect(describeError(error)).toEqual({ status, message });
  });
});
