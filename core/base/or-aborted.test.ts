import { expect, test, vi } from 'vitest';
import { Deferred } from './deferred.ts';
import { orAborted } from './or-aborted.ts';

test('is the promise itself without a signal', () => {
  const promise = Promise.resolve(1);
  expect(orAborted(promise, undefined)).toBe(promise);
});

test('settles as the promise does, and leaves no listener', async () => {
  const { signal } = new AbortController();
  const remove = vi.spyOn(signal, 'removeEventListener');
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(orAborted(Promise.reject(new Error('boom')), signal)).rejects.toThrow('boom');
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(2));
});

test('rejects with the reason of the signal, before or during the wait', async () => {
  const never = new Promise(() => {});
  await expect(orAborted(never, AbortSignal.abort('before'))).rejects.toBe('before');
  const controller = new AbortController();
  const waiting = orAborted(never, controller.signal);
  controller.abort('during');
  await expect(waiting).rejects.toBe('during');
});

test('a promise that fails after the abort is no unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  const work = new Deferred<void>();
  await expect(orAborted(work.promise, AbortSignal.abort('x'))).rejects.toBe('x');
  work.reject(new Error('too late'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
