import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { etagOf, isCached } from './etag.ts';

it.each([0, 5, 64 * 1024, 64 * 1024 + 1])(
  'the tag of %i bytes has their size and their SHA-1',
  async (size) => {
    const bytes = new Uint8Array(size).fill(65);
    const digest = createHash('sha1').update(bytes).digest('base64').slice(0, 27);
    expect(await etagOf(bytes)).toBe(`W/"${size.toString(16)}-${digest}"`);
  },
);

it('two bodies at the same time get their own tags', async () => {
  const [a, b] = await Promise.all(['a', 'b'].map((text) => etagOf(new TextEncoder().encode(text))));
  expect(a).toBe(await etagOf(new TextEncoder().encode('a')));
  expect(a).not.toBe(b);
});

it.each<[method: string, headers: Record<string, string>, expected: boolean]>([
  ['GET', {}, false],
  ['GET', { 'if-none-match': 'W/"a"' }, true],
  ['GET', { 'if-none-match': '"a"' }, true],
  ['GET', { 'if-none-match': '"b", W/"a"' }, true],
  ['GET', { 'if-none-match': '"b"' }, false],
  ['GET', { 'if-none-match': ' * ' }, true],
  ['HEAD', { 'if-none-match': '*' }, true],
  ['POST', { 'if-none-match': '*' }, false],
  ['GET', { 'if-none-match': '*', 'cache-control': 'max-age=0, No-Cache' }, false],
  ['GET', { 'if-none-match': '*', 'cache-control': 'no-cached' }, true],
])('%s %j: %s', (method, headers, expected) => {
  expect(isCached({ method, headers: new Headers(headers) }, 'W/"a"')).toBe(expected);
});
