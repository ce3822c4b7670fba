import { expect, it } from 'vitest';
import { decodeBase64 } from './base64.ts';

it.each([
  ['', []],
  ['AQID', [1, 2, 3]],
  ['AQI=', [1, 2]],
  ['AQ==', [1]],
  ['AQ\r\n==\n', [1]],
])('decodes %j', (text, bytes) => {
  expect([...decodeBase64(text)]).toEqual(bytes);
});

it.each([
  ['!!!', 0],
  ['data:image/png;base64,AAAA', 4],
  ['AQI', 0],
  ['AQIDA', 4],
  ['A===', 1],
  ['AQ=x', 2],
  ['AQ=', 3],
  ['AQI=AQID', 4],
])('%s is bad at byte %d', (text, offset) => {
  expect(() => decodeBase64(text)).toThrow(`illegal base64 data at input byte ${offset}`);
});
