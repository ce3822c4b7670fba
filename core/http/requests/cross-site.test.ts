import { expect, test } from 'vitest';
import { isCrossSite } from './cross-site.ts';

test.each([
  ['a program', 'POST', {}, false],
  ['a script of another site', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }, true],
  ['a frame of another site', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, true],
  ['a form of another site', 'POST', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, true],
  [
    'a link that was followed',
    'GET',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
    false,
  ],
  ['a page of another port', 'POST', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' }, false],
  ['the own page', 'POST', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, false],
  ['an address that was typed', 'GET', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, false],
] as const)('a request from %s', (_name, method, headers, expected) => {
  expect(isCrossSite({ method, headers: new Headers(headers) })).toBe(expected);
});
