import { expect, it } from 'vitest';
import { RecentModels } from './recent-models.ts';

it('names the models of a worker until it has announced them', () => {
  let time = 0;
  const recent = new RecentModels(() => time);
  recent.add('one', 'a');
  time = 2000;
  recent.add('one', 'b');
  recent.add('two', 'c');
  expect([recent.of('one'), recent.of('two'), recent.of('three')]).toEqual([['a', 'b'], ['c'], []]);
  time = 3000;
  expect(recent.of('one')).toEqual(['b']);
  recent.add('one', 'b');
  time = 5500;
  expect([recent.of('one'), recent.of('two')]).toEqual([['b'], []]);
});
