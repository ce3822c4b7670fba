import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromThread, ToThread } from './protocol.ts';
import { ThreadClient } from './thread-client.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client of a thread that has started. `receive` handles the messages to the thread. */
function createClient(receive: (message: ToThread, post: (message: FromThread) => void) => void) {
  let post: (message: FromThread) => void = () => {};
  const terminate = vi.fn();
  const client = new ThreadClient(
    {
      post: (message) => receive(message as ToThread, post),
      onMessage: (listener) => {
        post = listener;
      },
      gone: new Promise(() => {}),
      terminate,
    },
    () => {},
  );
  post({ type: 'ready' });
  return { client, terminate };
}

const services = { call: () => new Promise<unknown>(() => {}), console: () => {} };
const job = {
  type: 'code',
  script: { code: '', mode: 'allItems', shared: {} } as never,
  limits: { time: 10_000 },
} as const;

it('ends a thread that answers no ping, even while its script makes calls', async () => {
  const { client, terminate } = createClient((message, post) => {
    if (message.type !== 'code') return;
    setInterval(() => post({ type: 'call', id: message.id, call: 1, method: 'httpRequest', args: [] }), 100);
  });
  const ended = expect(client.request(job, new AbortController().signal, services)).rejects.toThrow(
    'did not let itself be stopped',
  );
  await vi.advanceTimersByTimeAsync(15_000);
  await ended;
  expect(terminate).toHaveBeenCalledOnce();
});

it('lets a script wait as long as the thread answers pings', async () => {
  const { client, terminate } = createClient((message, post) => {
    if (message.type === 'ping') post({ type: 'pong' });
    if (message.type === 'code') setTimeout(() => post({ type: 'done', id: message.id, value: 7 }), 600_000);
  });
  const done = client.request(job, new AbortController().signal, services);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await done).toBe(7);
  expect(terminate).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it('gives each script in the queue its own time', async () => {
  const { client, terminate } = createClient((message, post) => {
    // The thread runs one script after the other; a ping would wait behind them all.
    if (message.type === 'code')
      setTimeout(() => post({ type: 'done', id: message.id, value: 7 }), message.id * 9000);
  });
  const results = [1, 2, 3, 4].map(() => client.request(job, new AbortController().signal, services));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await Promise.all(results)).toEqual([7, 7, 7, 7]);
  expect(terminate).not.toHaveBeenCalled();
});
