import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServerTerm } from './leader-term.ts';
import type { OwnedServer } from './owned-server.ts';

interface StartedServer {
  epoch: number;
  die(): void;
  end: ReturnType<typeof vi.fn>;
}

let started: StartedServer[];
const onEnd = vi.fn();

function begin(epoch: number): ServerTerm {
  return new ServerTerm(epoch, {
    startServer(epoch) {
      let die!: () => void;
      const died = new Promise<void>((resolve) => {
        die = resolve;
      });
      const end = vi.fn();
      started.push({ epoch, die, end });
      return { name: { schema: 1, epoch, page: 'a' }, died, end } as unknown as OwnedServer;
    },
    running: async () => 3,
    onEnd,
  });
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1000, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  started = [];
  onEnd.mockClear();
});
afterEach(() => void vi.useRealTimers());

it('starts a server of the epoch, and reports the number of running requests', async () => {
  const term = begin(5000);
  expect([term.epoch, started.length, await term.running()]).toEqual([5000, 1, 3]);
});

it('a restart ends the server, and the next one has a later epoch even if the clock is behind', () => {
  const term = begin(5000);
  term.restart();
  expect(started[0]!.end).toHaveBeenCalledOnce();
  expect(term.epoch).toBe(5001);
  vi.setSystemTime(90_000);
  term.restart();
  expect(term.epoch).toBe(90_000);
});

it('replaces a server that died at once, and one that died soon after it with a delay', async () => {
  const term = begin(1);
  started[0]!.die();
  await vi.advanceTimersByTimeAsync(0);
  expect(started.length).toBe(2);
  started[1]!.die();
  await vi.advanceTimersByTimeAsync(999);
  expect(started.length).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(started.length).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  started[2]!.die();
  await vi.advanceTimersByTimeAsync(0);
  expect(started.length).toBe(4);
  expect(term.epoch).toBe(started[3]!.epoch);
});

it('does not replace the successor of a server that died before its restart', async () => {
  const term = begin(1);
  started[0]!.die();
  term.restart();
  await vi.advanceTimersByTimeAsync(2000);
  expect(started.length).toBe(2);
});

it('ends once, and starts nothing afterwards', async () => {
  const term = begin(1);
  term.end();
  term.end();
  term.restart();
  started[0]!.die();
  await vi.advanceTimersByTimeAsync(2000);
  expect([started.length, onEnd.mock.calls.length, started[0]!.end.mock.calls.length]).toEqual([1, 1, 1]);
});
