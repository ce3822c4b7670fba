import { expect, it } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { EngineEvents } from './events.ts';

const event = { type: 'workflowChanged', workflowId: 'w1' } as const;

it('sends events to subscribers until they unsubscribe', () => {
  const events = new EngineEvents(createTestHost().log);
  const seen: unknown[] = [];
  const unsubscribe = events.subscribe((sent) => seen.push(sent));
  expect(events.hasSubscribers).toBe(true);
  events.send(event);
  unsubscribe();
  events.send(event);
  expect([seen, events.hasSubscribers]).toEqual([[event], false]);
});

it('logs the error of a subscriber, and sends the event to the others', () => {
  const host = createTestHost();
  const events = new EngineEvents(host.log);
  const seen: unknown[] = [];
  events.subscribe(() => {
    throw new Error('broken');
  });
  events.subscribe((sent) => seen.push(sent));
  events.send(event);
  expect(seen).toEqual([event]);
  expect(host.logged).toMatchObject([{ level: 'error', message: 'webhooks: a subscriber failed' }]);
});

it('the end aborts a signal', () => {
  const events = new EngineEvents(createTestHost().log);
  expect(events.ended.aborted).toBe(false);
  events.end();
  expect(events.ended.aborted).toBe(true);
});
