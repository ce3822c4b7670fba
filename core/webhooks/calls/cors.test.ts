import { expect, it } from 'vitest';
import { corsHeaders } from './cors.ts';

const headersFor = (origin: string | undefined, allowedOrigins?: string, methods = ['POST']) =>
  Object.fromEntries(
    corsHeaders(new Headers(origin === undefined ? {} : { origin }), { methods, allowedOrigins }),
  );

it('clients that are not pages get none', () => {
  expect(headersFor(undefined, '*')).toEqual({});
});

it('a page gets its origin, the methods, and a note for caches', () => {
  expect(headersFor('https://a.test', undefined, ['GET', 'OPTIONS', 'PUT'])).toEqual({
    'access-control-allow-methods': 'OPTIONS, GET, PUT',
    'access-control-allow-origin': 'https://a.test',
    vary: 'Origin',
  });
});

it.each([
  ['', 'https://a.test'],
  ['*', 'https://a.test'],
  ['https://b.test, *', 'https://a.test'],
  ['https://b.test,https://a.test', 'https://a.test'],
  ['https://b.test, https://c.test', 'https://b.test'],
  ['https://a.test.evil', 'https://a.test.evil'],
])('with the option "%s" a page of https://a.test gets %s', (allowedOrigins, expected) => {
  expect(headersFor('https://a.test', allowedOrigins)['access-control-allow-origin']).toBe(expected);
});
