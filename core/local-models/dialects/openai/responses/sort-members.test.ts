import { expect, it } from 'vitest';
import { sortMembers } from './sort-members.ts';

it('sorts the members of all objects, and no lists', () => {
  const value = { b: [{ d: 1, c: [3, 1, 2] }, null], a: 'x', A: undefined };
  expect(JSON.stringify(sortMembers(value))).toBe('{"a":"x","b":[{"c":[3,1,2],"d":1},null]}');
  expect(Object.keys(sortMembers(value) as object)).toEqual(['A', 'a', 'b']);
});

it('leaves one object inside as it is', () => {
  const schema = { z: 1, a: { y: 1, b: 2 } };
  const sorted = sortMembers({ format: { schema, name: 'n' } }, schema);
  expect(JSON.stringify(sorted)).toBe('{"format":{"name":"n","schema":{"z":1,"a":{"y":1,"b":2}}}}');
});

it('does not change its argument', () => {
  const value = { b: 1, a: 2 };
  sortMembers(value);
  expect(Object.keys(value)).toEqual(['b', 'a']);
});
