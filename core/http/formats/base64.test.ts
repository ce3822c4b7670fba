import { expect, it } from 'vitest';
import { decodeBase64, decodeBase64Text, decodeLooseBase64, encodeBase64 } from './base64.ts';

it.each([
  ['', []],
  ['AQID', [1, 2, 3]],
  ['AQI=', [1, 2]],
  ['AQ==', [1]],
  ['AQ\r\n==\n', [1]],
  ['AQID\nBAUG\r\n', [1, 2, 3, 4, 5, 6]],
  ['+/==', [251]],
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
  ['A\nQ', 1],
  ['AQID\nAé==', 6],
  ['AQ=\n', 4],
  ['AQ==\nA', 5],
  ['=AAA', 0],
])('%s is bad at byte %d', (text, offset) => {
  expect(() => decodeBase64(text)).toThrow(`illegal base64 data at input byte ${offset}`);
});

it('decodes what it encoded, for every length and byte', () => {
  const all = Uint8Array.from({ length: 260 }, (_, n) => n);
  for (let length = 0; length <= all.length; length++) {
    const bytes = all.slice(0, length);
    const text = encodeBase64(bytes);
    expect(text).toBe(Buffer.from(bytes).toString('base64'));
    expect(decodeBase64(text)).toEqual(bytes);
    expect(decodeLooseBase64(text.replace(/=+$/, ''))).toEqual(bytes);
  }
});

it.each(['A-_/+w', 'A P\n8=', 'AP8=AP8=', '~AP8', 'A', '', 'AQI'])('%j is decoded as by Node', (text) => {
  expect([...decodeLooseBase64(text)]).toEqual([...Buffer.from(text, 'base64')]);
});

it.each([
  ['aMOpbGxv', 'héllo'],
  ['Pz8_', '???'],
  ['aGk=', 'hi'],
  ['aGk', 'hi'],
  ['', ''],
  ['a', undefined],
  ['!!', undefined],
])('the text of %j is %j', (encoded, text) => expect(decodeBase64Text(encoded)).toBe(text));
