import { expect, test } from 'vitest';
import { isFrame } from './is-frame.ts';

test.each([
  [{ type: 'end', id: 1 }, true],
  [{ type: 'chunk', id: 1, bytes: new Uint8Array(1) }, true],
  [{ type: 'chunk', id: 1, bytes: null }, false],
  [{ type: 'chunk', id: 1 }, false],
  [{ type: 'end', id: '1' }, false],
  [{ type: 'toString' }, false],
  [{ type: 'unknown', id: 1 }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['end', false],
  [() => {}, false],
])('%j: %s', (value, verdict) => expect(isFrame(value)).toBe(verdict));
