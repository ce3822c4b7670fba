import { expect, test } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { sleep } from './sleep.ts';

const { signal } = new AbortController();

test('resolves when the time has passed, and not before', async () => {
  const clock = new TestClock();
  let isOver = false;
  void sleep(clock, 100, signal).then(() => {
    isOver = true;
  });
  await clock.advance(99);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
});

test('an abort rejects with its reason and cancels the timer', async () => {
  const clock = new TestClock();
  const controller = new AbortController();
  const sleeping = sleep(clock, 100, controller.signal);
  expect(clock.pending).toBe(1);
  controller.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

test('an aborted signal starts no timer', async () => {
  const clock = new TestClock();
  await expect(sleep(clock, 100, AbortSignal.abort('before'))).rejects.toBe('before');
  expect(clock.pending).toBe(0);
});
