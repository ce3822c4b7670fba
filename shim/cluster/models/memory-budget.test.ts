import { expect, it } from 'vitest';
import type { ModelCopy, ProcessInfo } from '../presence.ts';
import { copiesToUnload } from './memory-budget.ts';

const copy = (name: string, size: number, expiresAt: number | null): ModelCopy => ({ name, size, expiresAt });
const workers = (lists: Record<string, ModelCopy[] | undefined>) =>
  Object.entries(lists).map(([process, copies]) => ({ process, copies }) as ProcessInfo);
const leaving = (lists: Record<string, ModelCopy[] | undefined>, budget: number) =>
  copiesToUnload(workers(lists), budget).map(({ process, name }) => `${name} of ${process}`);

const three = { one: [copy('a', 4, 300), copy('b', 3, 100)], two: [copy('a', 4, 200)] };

it('unloads what expires first, until the rest fits', () => {
  expect(leaving(three, 11)).toEqual([]);
  expect(leaving(three, 10)).toEqual(['b of one']);
  expect(leaving(three, 7)).toEqual(['b of one', 'a of two']);
});

it('leaves the last copy, and those that never expire', () => {
  expect(leaving(three, 1)).toEqual(['b of one', 'a of two']);
  expect(leaving({ one: [copy('a', 4, null), copy('b', 3, 100)] }, 1)).toEqual(['b of one']);
  expect(leaving({ one: [copy('a', 4, 100)], old: undefined }, 1)).toEqual([]);
});
