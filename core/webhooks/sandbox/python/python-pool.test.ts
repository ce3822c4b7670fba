import { afterEach, expect, it, vi } from 'vitest';
import { FakeThreads } from '#test/support/sandbox/fake-threads.ts';
import { PythonPool } from './python-pool.ts';

const SCRIPT = { code: '' } as never;
const services = { call: async () => undefined, console: () => {} };
const never = new AbortController().signal;

let pool: PythonPool;
afterEach(() => {
  pool.close();
  vi.useRealTimers();
});

function open() {
  const { started, ...threads } = new FakeThreads();
  pool = new PythonPool(
    { start: FakeThreads.prototype.start.bind({ started, ...threads }) },
    { code: { time: 100 } },
  );
  const run = (signal = never) => pool.runCode(SCRIPT, services, signal);
  const reply = (thread: number, id: number, value: unknown) =>
    started[thread]!.reply({ type: 'done', id, value });
  return { started, run, reply };
}

it('runs one script at a time in each of two threads, the others wait', async () => {
  const { started, run, reply } = open();
  const results = [run(), run(), run()];
  await vi.waitFor(() => expect(started.map(({ posted }) => posted.length)).toEqual([1, 1]));
  reply(1, 1, 'second');
  expect(await results[1]).toBe('second');
  await vi.waitFor(() => expect(started[1]!.posted).toHaveLength(2));
  reply(1, 2, 'third');
  reply(0, 1, 'first');
  expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
  expect(started).toHaveLength(2);
});

it('ends the thread of a cancelled script, and none for a script that waits', async () => {
  const { started, run, reply } = open();
  const cancelled = new AbortController();
  const [first, second] = [run(), run(cancelled.signal)];
  const waiting = new AbortController();
  const third = run(waiting.signal);
  const fourth = run();
  await vi.waitFor(() => expect(started).toHaveLength(2));
  waiting.abort(new Error('left'));
  await expect(third).rejects.toThrow('left');
  cancelled.abort(new Error('stopped'));
  await expect(second).rejects.toThrow('stopped');
  expect(started.map(({ terminated }) => terminated).slice(0, 2)).toEqual([false, true]);
  await vi.waitFor(() => expect(started).toHaveLength(3));
  reply(2, 1, 'fourth');
  reply(0, 1, 'first');
  expect(await Promise.all([first, fourth])).toEqual(['first', 'fourth']);
});

it('starts another thread after a failure, and after one that ended', async () => {
  const { started, run, reply } = open();
  const first = run();
  await vi.waitFor(() => expect(started).toHaveLength(1));
  started[0]!.reply({ type: 'failed', id: 1, failure: { kind: 'crashed', message: 'broken' } });
  await expect(first).rejects.toThrow('broken');
  const second = run();
  await vi.waitFor(() => expect(started).toHaveLength(2));
  reply(1, 1, 'done');
  started[1]!.reply({ type: 'unusable', message: 'too large' });
  expect(await second).toBe('done');
  void run().catch(() => {});
  await vi.waitFor(() => expect(started).toHaveLength(3));
});

it('ends idle threads', async () => {
  vi.useFakeTimers();
  const { started, run, reply } = open();
  const first = run();
  await vi.advanceTimersByTimeAsync(0);
  started[0]!.reply({ type: 'ready' });
  reply(0, 1, 'done');
  await first;
  await vi.advanceTimersByTimeAsync(59_000);
  expect(started[0]!.terminated).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(started[0]!.terminated).toBe(true);
});

it('waits longer than a sandbox for a thread that loads Python', async () => {
  vi.useFakeTimers();
  const { started, run, reply } = open();
  const first = run();
  await vi.advanceTimersByTimeAsync(300_000);
  started[0]!.reply({ type: 'ready' });
  reply(0, 1, 'late');
  expect(await first).toBe('late');
});

it('refuses scripts after its end', async () => {
  const { run } = open();
  pool.close();
  await expect(run()).rejects.toThrow('the server is closing');
});
