import { expect, test } from 'vitest';
import { settle } from '#test/support/host/test-clock.ts';
import type { RunEvent } from '../runs/events.ts';
import { startRun, type Work } from './run.ts';

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

/** Says so many words; `ended` tells when it gave back what it held. */
function speaker(words: number) {
  const state = { said: 0, ended: false };
  const work: Work = async function* (signal, accepted) {
    try {
      accepted();
      for (; state.said < words; state.said++) {
        signal.throwIfAborted();
        yield { type: 'text', content: `${state.said} `, thinking: '' };
      }
    } finally {
      state.ended = true;
    }
    yield done;
  };
  return { state, work };
}

test('the work is done although nobody reads, and everything is there for who reads later', async () => {
  const { state, work } = speaker(3000);
  const run = startRun(work, never);
  if (run.kind !== 'events') throw new Error(run.kind);
  for (let turn = 0; turn < 200 && !state.ended; turn++) await settle();
  expect(state.ended).toBe(true);
  const read: RunEvent[] = [];
  for await (const event of run.events) read.push(event);
  expect(read).toHaveLength(3001);
  expect(read[2999]).toMatchObject({ content: '2999 ' });
  expect(read.at(-1)).toBe(done);
});

test('work without end waits for its reader at last, and ends when the reader leaves', async () => {
  const { state, work } = speaker(Number.POSITIVE_INFINITY);
  const run = startRun(work, never);
  if (run.kind !== 'events') throw new Error(run.kind);
  let before = -1;
  while (state.said !== before) {
    before = state.said;
    for (let turn = 0; turn < 50; turn++) await settle();
  }
  expect(before).toBeGreaterThan(10_000);
  for await (const event of run.events) if (event.type === 'text') break;
  await settle();
  expect(state.ended).toBe(true);
});

test('a signal ends it with what clients are told', async () => {
  const leaver = new AbortController();
  const { state, work } = speaker(Number.POSITIVE_INFINITY);
  const run = startRun(work, leaver.signal);
  if (run.kind !== 'events') throw new Error(run.kind);
  const reading = (async () => {
    let last: RunEvent | undefined;
    for await (const event of run.events) {
      last = event;
      leaver.abort();
    }
    return last;
  })();
  await expect(reading).rejects.toMatchObject({ status: 499, message: 'request canceled' });
  expect(state.ended).toBe(true);
});
