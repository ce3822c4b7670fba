import { describe, expect, it } from 'vitest';
import { basicAuthorization } from './basic-authorization.ts';
import { addQuery, encodeForm } from './query.ts';

describe('addQuery', () => {
  it.each([
    ['https://a.test/', { a: 1 }, 'https://a.test/?a=1'],
    ['https://a.test/?b=2', { a: 1 }, 'https://a.test/?b=2&a=1'],
    ['https://a.test/?', { a: 1 }, 'https://a.test/?a=1'],
    ['https://a.test/?b=2&', { a: 1 }, 'https://a.test/?b=2&a=1'],
    ['https://a.test/#top', { a: 1 }, 'https://a.test/?a=1#top'],
    ['https://a.test/#', { a: 1 }, 'https://a.test/?a=1#'],
    ['https://a.test/', {}, 'https://a.test/'],
    ['https://a.test/', { a: 'x y&z', b: null }, 'https://a.test/?a=x%20y%26z&b='],
    ['https://a.test/', { o: { k: 1 } }, 'https://a.test/?o%5Bk%5D=1'],
  ])('to %s adds %j', (address, query, result) => {
    expect(addQuery(address, query)).toBe(result);
  });

  it.each([
    ['repeat', 'l=1&l=2'],
    ['brackets', 'l%5B%5D=1&l%5B%5D=2'],
    ['indices', 'l%5B0%5D=1&l%5B1%5D=2'],
  ] as const)('writes lists by the format %s', (format, query) => {
    expect(addQuery('http://a.test', { l: [1, 2] }, format)).toBe(`http://a.test?${query}`);
  });
});

it('encodeForm writes spaces as plus signs and repeats the names of lists', () => {
  expect(encodeForm({ a: 'x y', l: [1, 2] })).toBe('a=x+y&l=1&l=2');
});

it('basicAuthorization encodes UTF-8', () => {
  expect(basicAuthorization('al', 'pä')).toBe(`Basic ${Buffer.from('al:pä').toString('base64')}`);
});
