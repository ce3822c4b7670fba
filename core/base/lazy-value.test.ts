import { expect, test, vi } from 'vitest';
import { Deferred } from './deferred.ts';
import { Lazy } from './lazy-value.ts';

test('computes once, for callers at the same time and later', async () => {
  const value = new Deferred<number>();
  const compute = vi.fn(() => value.promise);
  const lazy = new Lazy(compute);
  expect(compute).not.toHaveBeenCalled();
  const both = Promise.all([lazy.get(), lazy.get()]);
  value.resolve(7);
  expect(await both).toEqual([7, 7]);
  expect(await lazy.get()).toBe(7);
  expect(compute).toHaveBeenCalledOnce();
});

test('computes again after a failure', async () => {
  const compute = vi.fn(async () => 'second');
  compute.mockRejectedValueOnce(new Error('first'));
  const lazy = new Lazy(compute);
  await expect(lazy.get()).rejects.toThrow('first');
  expect(await lazy.get()).toBe('second');
  expect(compute).toHaveBeenCalledTimes(2);
});

test('peek waits for a computation but never begins one, and hides its failure', async () => {
  const compute = vi.fn(async () => 1);
  const lazy = new Lazy(compute);
  expect(await lazy.peek()).toBeUndefined();
  expect(compute).not.toHaveBeenCalled();
  const running = lazy.get();
  expect(await lazy.peek()).toBe(1);
  await running;

  const failing = new Lazy(() => Promise.reject(new Error('x')));
  const result = failing.get();
  expect(await failing.peek()).toBeUndefined();
  await expect(result).rejects.toThrow('x');
});
