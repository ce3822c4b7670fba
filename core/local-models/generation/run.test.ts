import { expect, test } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { settle } from '#test/support/host/test-clock.ts';
import { RUNNER_STOPPED } from '../base/engine-errors.ts';
import type { RunEvent } from '../runs/events.ts';
import { type RunOutput, startRun } from './run.ts';

const never = new AbortController().signal;
const done: RunEvent = {
  type: 'done',
  reason: 'stop',
  statistics: {
    totalDuration: 1,
    loadDuration: 1,
    promptEvalCount: 1,
    promptEvalDuration: 1,
    evalCount: 1,
    evalDuration: 1,
  },
};
const text = (content: string): RunEvent => ({ type: 'text', content, thinking: '' });

/** Work that emits `words` events and `done`. `state` shows how far it is, and whether it has released what it held. */
function countingWork(words: number) {
  const state = { emitted: 0, released: false };
  const work = async ({ signal, accepted, emit }: RunOutput) => {
    try {
      accepted();
      for (; state.emitted < words; state.emitted++) {
        signal.throwIfAborted();
        await emit(text(`${state.emitted} `));
      }
    } finally {
      state.released = true;
    }
    await emit(done);
  };
  return { state, work };
}

async function readAll(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('the work ends without a reader, and a later reader gets all events in order', async () => {
  const { state, work } = countingWork(3000);
  const run = startRun(work, never);
  for (let turn = 0; turn < 200 && !state.released; turn++) await settle();
  expect(state.released).toBe(true);
  const events = await readAll(run.events);
  expect(events).toHaveLength(3001);
  expect(events.slice(0, -1).map((event) => event.type === 'text' && event.content)).toEqual(
    Array.from({ length: 3000 }, (_, n) => `${n} `),
  );
  expect(events.at(-1)).toBe(done);
});

test('endless work waits for a reader that is 16,384 events behind, and continues when it reads', async () => {
  const { state, work } = countingWork(Number.POSITIVE_INFINITY);
  const run = startRun(work, never);
  const standstill = async () => {
    let before = -1;
    while (state.emitted !== before) {
      before = state.emitted;
      for (let turn = 0; turn < 50; turn++) await settle();
    }
    return before + 1;
  };
  expect(await standstill()).toBe(16_384);
  const iterator = run.events[Symbol.asyncIterator]();
  for (let n = 0; n < 1024; n++) expect((await iterator.next()).value).toEqual(text(`${n} `));
  expect(await standstill()).toBe(16_384 + 1024);
  await iterator.return!();
  expect(state.released).toBe(true);
});

test('a reader that stops early waits until the work has released what it held', async () => {
  const { state, work } = countingWork(Number.POSITIVE_INFINITY);
  const run = startRun(work, never);
  for await (const event of run.events) if (event.type === 'text') break;
  expect(state.released).toBe(true);
});

test('an abort ends the work, and the reader gets 499', async () => {
  const client = new AbortController();
  const { state, work } = countingWork(Number.POSITIVE_INFINITY);
  const run = startRun(work, client.signal);
  const reading = (async () => {
    for await (const _ of run.events) client.abort();
  })();
  await expect(reading).rejects.toMatchObject({ status: 499, message: 'request canceled' });
  expect(state.released).toBe(true);
});

test('an abort while the work waits for its reader ends it, too', async () => {
  const client = new AbortController();
  const { state, work } = countingWork(Number.POSITIVE_INFINITY);
  startRun(work, client.signal);
  for (let turn = 0; turn < 500; turn++) await settle();
  expect(state.released).toBe(false);
  client.abort();
  await settle();
  expect(state.released).toBe(true);
});

test('an abort before the prompt is accepted rejects `ready` with 499', async () => {
  const client = new AbortController();
  const run = startRun(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    client.signal,
  );
  client.abort();
  await expect(run.ready).rejects.toMatchObject({ status: 499, message: 'request canceled' });
  await expect(readAll(run.events)).rejects.toMatchObject({ status: 499 });
});

test('`ready` resolves with `accepted`, or with the first event', async () => {
  let accept = () => {};
  let isReady = false;
  const run = startRun(({ accepted }) => {
    accept = accepted;
    return new Promise(() => {});
  }, never);
  void run.ready.then(() => {
    isReady = true;
  });
  await settle();
  expect(isReady).toBe(false);
  accept();
  await settle();
  expect(isReady).toBe(true);
  await expect(startRun(async ({ emit }) => emit(done), never).ready).resolves.toBeUndefined();
});

test('a failure before the prompt is accepted rejects `ready` and the events with the same error', async () => {
  const error = new ApiError(500, 'cannot load');
  const run = startRun(() => Promise.reject(error), never);
  await expect(run.ready).rejects.toBe(error);
  await expect(readAll(run.events)).rejects.toBe(error);
});

test('a failure in the middle reaches the reader after all earlier events', async () => {
  const error = new Error('the engine broke');
  const run = startRun(async ({ emit }) => {
    await emit(text('a'));
    throw error;
  }, never);
  await expect(run.ready).resolves.toBeUndefined();
  const read: RunEvent[] = [];
  const reading = (async () => {
    for await (const event of run.events) read.push(event);
  })();
  await expect(reading).rejects.toBe(error);
  expect(read).toEqual([text('a')]);
});

test('an ApiError of aborted work is reported as it is', async () => {
  const client = new AbortController();
  client.abort();
  const run = startRun(() => Promise.reject(new ApiError(503, 'closing')), client.signal);
  await expect(run.ready).rejects.toMatchObject({ status: 503 });
});

test('work that ends without `done` fails', async () => {
  const run = startRun(({ emit }) => emit(text('a')), never);
  await expect(readAll(run.events)).rejects.toThrow(RUNNER_STOPPED);
});

test('an error after `done` does not spoil the answer', async () => {
  const run = startRun(async ({ emit }) => {
    await emit(done);
    throw new Error('clean-up failed');
  }, never);
  expect(await readAll(run.events)).toEqual([done]);
});

test('an error that the work throws at once is thrown to the caller', () => {
  const full = new ApiError(503, 'server busy');
  const start = () =>
    startRun(() => {
      throw full;
    }, never);
  expect(start).toThrow(full);
});
