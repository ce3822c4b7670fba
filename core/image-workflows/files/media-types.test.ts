import { expect, it } from 'vitest';
import { mediaType } from './media-types.ts';

it.each([
  ['a.png', 'image/png'],
  ['a.b.JPG', 'image/jpeg'],
  ['a.js', 'application/javascript; charset=utf-8'],
  // A browser would run these in the origin of the app.
  ['a.html', 'application/octet-stream'],
  ['a.css', 'application/octet-stream'],
  ['a.svg', 'application/octet-stream'],
  ['png', 'application/octet-stream'],
  ['a.', 'application/octet-stream'],
])('%s is %s', (name, type) => {
  expect(mediaType(name)).toBe(type);
});
