import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { WaitTimers } from './wait-timers.ts';

let clock: TestClock;
let timers: WaitTimers;
let due: string[];
beforeEach(() => {
  clock = new TestClock();
  due = [];
  timers = new WaitTimers(clock, (id) => due.push(id));
});

it('reports each execution once, at its time', async () => {
  timers.add('late', clock.now() + 2000);
  timers.add('early', clock.now() + 1000);
  await clock.advance(999);
  expect(due).toEqual([]);
  await clock.advance(1);
  expect(due).toEqual(['early']);
  await clock.advance(5000);
  expect(due).toEqual(['early', 'late']);
});

it('reports a time in the past at once', async () => {
  timers.add('a', clock.now() - 5000);
  await clock.advance(0);
  expect(due).toEqual(['a']);
});

it('replaces the time of an execution', async () => {
  timers.add('a', clock.now() + 1000);
  timers.add('a', clock.now() + 3000);
  await clock.advance(2000);
  expect(due).toEqual([]);
  await clock.advance(1000);
  expect(due).toEqual(['a']);
});

it('forgets removed executions, and all when it is closed', async () => {
  for (const id of ['a', 'b', 'c']) timers.add(id, clock.now() + 1000);
  timers.remove('a');
  timers.remove('unknown');
  expect(clock.pending).toBe(2);
  timers.close();
  expect(clock.pending).toBe(0);
  await clock.advance(5000);
  expect(due).toEqual([]);
});
