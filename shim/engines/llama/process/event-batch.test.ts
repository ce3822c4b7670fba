import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EngineEvent } from '#core/host';
import { EventBatch } from './event-batch.ts';

const token = (id: number): EngineEvent => ({ type: 'token', text: 'x', id });
let sent: number[];
const send = (events: EngineEvent[]) => void sent.push(events.length);
beforeEach(() => {
  sent = [];
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(1000);
});
afterEach(() => void vi.useRealTimers());

test('sends the first event at once, later ones together', () => {
  const batch = new EventBatch(100, send);
  for (let id = 0; id < 20; id++) {
    batch.push(token(id));
    vi.advanceTimersByTime(4);
  }
  batch.flush();
  batch.flush();
  expect(sent).toEqual([1, 8, 8, 3]);
});

test('without credit pending events are sent and the generation waits', async () => {
  const batch = new EventBatch(3, send);
  for (let id = 0; id < 2; id++) batch.push(token(id));
  expect(batch.waitForCredit()).toBeUndefined();
  batch.push(token(2));
  const room = batch.waitForCredit();
  expect(room).toBeInstanceOf(Promise);
  expect(sent).toEqual([1, 2]);
  let waited = false;
  void room!.then(() => {
    waited = true;
  });
  await Promise.resolve();
  expect(waited).toBe(false);
  batch.grant(2);
  await room;
  expect(batch.waitForCredit()).toBeUndefined();
});

test('a stop ends the wait, and nothing more is sent', async () => {
  const batch = new EventBatch(1, send);
  batch.push(token(0));
  const room = batch.waitForCredit();
  batch.stop();
  await room;
  expect(batch.stopped).toBe(true);
  batch.push(token(1));
  batch.flush();
  expect(sent).toEqual([1]);
});
