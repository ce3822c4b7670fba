import { expect, it } from 'vitest';
import { viewOf } from './views.ts';

it.each([
  ['', 'chat', ''],
  ['#/', 'chat', ''],
  ['#main', 'chat', ''],
  ['#/chat/a%20b', 'chat', 'a b'],
  ['#/models', 'models', ''],
  ['#/images/graph', 'images', 'graph'],
  ['#/chat/%E0', 'chat', ''],
])('finds the view of %j', (hash, name, rest) => expect(viewOf(hash)).toEqual({ name, rest }));

it.each(['#/nonsense', '#/toString', '#/chat-2/x'])('shows no other view at %s', (hash) =>
  expect(viewOf(hash)).toEqual({ name: 'not-found', rest: hash }),
);
