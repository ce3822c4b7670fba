import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromThread, ToThread } from './protocol.ts';
import { ThreadClient } from './thread-client.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A thread that is ready; `hear` is what it does with messages. */
function client(hear: (message: ToThread, say: (message: FromThread) => void) => void) {
  let say: (message: FromThread) => void = () => {};
  const terminate = vi.fn();
  const made = new ThreadClient(
    {
      post: (message) => hear(message as ToThread, say),
      onMessage: (listener) => {
        say = listener;
      },
      gone: new Promise(() => {}),
      terminate,
    },
    () => {},
  );
  say({ type: 'ready' });
  return { made, terminate };
}

const services = { call: () => new Promise<unknown>(() => {}), console: () => {} };
const job = {
  type: 'code',
  script: { code: '', mode: 'allItems', shared: {} } as never,
  limits: { time: 10_000 },
} as const;

it('a script that goes on asking, and lets nothing else run, does not keep its thread', async () => {
  const { made, terminate } = client((message, say) => {
    if (message.type !== 'code') return;
    setInterval(() => say({ type: 'call', id: message.id, call: 1, method: 'httpRequest', args: [] }), 100);
  });
  const ended = expect(made.request(job, new AbortController().signal, services)).rejects.toThrow(
    'did not let itself be stopped',
  );
  await vi.advanceTimersByTimeAsync(15_000);
  await ended;
  expect(terminate).toHaveBeenCalledOnce();
});

it('a script that only waits has all the time', async () => {
  const { made, terminate } = client((message, say) => {
    if (message.type === 'ping') say({ type: 'pong' });
    if (message.type === 'code') setTimeout(() => say({ type: 'done', id: message.id, value: 7 }), 600_000);
  });
  const done = made.request(job, new AbortController().signal, services);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await done).toBe(7);
  expect(terminate).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it('scripts that wait for their turn behind others are not taken for hung', async () => {
  const { made, terminate } = client((message, say) => {
    // One after the other, and only then what was sent last.
    if (message.type === 'code')
      setTimeout(() => say({ type: 'done', id: message.id, value: 7 }), message.id * 9000);
  });
  const all = [1, 2, 3, 4].map(() => made.request(job, new AbortController().signal, services));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await Promise.all(all)).toEqual([7, 7, 7, 7]);
  expect(terminate).not.toHaveBeenCalled();
});
