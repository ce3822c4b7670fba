import { expect, it } from 'vitest';
import { realClock } from '#test/support/host/test-clock.ts';
import { SharedPulls } from './shared-pulls.ts';

const never = new AbortController().signal;

it('waits in close for the cleanup of all pulls, also those without a caller', async () => {
  const pulls = new SharedPulls(realClock);
  const putAway: string[] = [];
  const slow = (name: string) => (stop: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      stop.addEventListener('abort', () => {
        setTimeout(() => {
          putAway.push(name);
          reject(stop.reason);
        }, 20);
      });
    });
  const leave = new AbortController();
  const left = pulls.follow('left', slow('left'), leave.signal).next();
  const followed = pulls.follow('followed', slow('followed'), never).next();
  leave.abort();
  await expect(left).rejects.toThrow(/abort/);
  expect(putAway).toEqual([]);
  const rejection = expect(followed).rejects.toThrow('tabd is closing');
  await pulls.close();
  expect(putAway.toSorted()).toEqual(['followed', 'left']);
  await rejection;
});
