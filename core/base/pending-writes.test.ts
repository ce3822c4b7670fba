import { expect, it, vi } from 'vitest';
import { PendingWrites } from './pending-writes.ts';

function open() {
  let tick: (() => void) | undefined;
  const clock = {
    after: (_milliseconds: number, callback: () => void) => {
      tick = callback;
      return () => {
        tick = undefined;
      };
    },
  };
  const onFailure = vi.fn();
  const writes = new PendingWrites(clock, (error) => error === 'full', onFailure);
  const pass = async () => {
    const callback = tick;
    tick = undefined;
    callback?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { writes, onFailure, pass, hasTimer: () => tick !== undefined };
}

it('tries the writes again in their order until they succeed', async () => {
  const { writes, pass, hasTimer } = open();
  let isFull = true;
  const done: string[] = [];
  for (const name of ['a', 'b']) {
    writes.add(async () => {
      if (isFull) throw 'full';
      done.push(name);
    });
  }
  await pass();
  expect([done, writes.count, hasTimer()]).toEqual([[], 2, true]);
  isFull = false;
  await pass();
  expect([done, writes.count, hasTimer()]).toEqual([['a', 'b'], 0, false]);
});

it('drops and reports a write that can never succeed', async () => {
  const { writes, onFailure, pass } = open();
  const second = vi.fn(async () => {});
  writes.add(() => Promise.reject('broken'));
  writes.add(second);
  await pass();
  expect(onFailure).toHaveBeenCalledExactlyOnceWith('broken');
  expect([second.mock.calls.length, writes.count]).toEqual([1, 0]);
});

it('tries once more when its owner ends, then drops what fails', async () => {
  const { writes, hasTimer } = open();
  const done: string[] = [];
  writes.add(async () => done.push('a'));
  writes.add(() => Promise.reject('full'));
  writes.add(async () => done.push('c'));
  await writes.close();
  expect([done, writes.count, hasTimer()]).toEqual([['a'], 0, false]);
});

it('does not write twice when its owner ends during an attempt', async () => {
  const { writes, pass } = open();
  let end = () => {};
  const write = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  writes.add(write);
  await pass();
  const closed = writes.close();
  end();
  await closed;
  expect(write).toHaveBeenCalledTimes(1);
});
