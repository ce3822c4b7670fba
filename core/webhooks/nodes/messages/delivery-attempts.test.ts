import { expect, it } from 'vitest';
import type { AmqpMessage } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import { DeliveryAttempts, MAX_DELIVERIES, pauseAfter } from './delivery-attempts.ts';

function attemptsOver(stored: Map<string, JsonObject>): DeliveryAttempts {
  const storage = {
    get: async (key: string) => stored.get(key),
    put: async (key: string, value: JsonObject) => void stored.set(key, value),
    delete: async (key: string) => void stored.delete(key),
  };
  return new DeliveryAttempts({ storage, workflow: { id: 'w' }, node: { id: 'n' } } as never, 'q');
}

const message = (
  text: string,
  redelivered: boolean,
  properties: AmqpMessage['properties'] = {},
): AmqpMessage => ({
  content: new TextEncoder().encode(text),
  fields: { exchange: '', routingKey: 'q', redelivered },
  properties,
  acknowledge() {},
  reject() {},
  discard() {},
});

it('counts the deliveries of a message that ends the process each time', async () => {
  const stored = new Map<string, JsonObject>();
  // A new process begins at each delivery.
  const deliveries = [];
  for (let n = 0; n <= MAX_DELIVERIES; n++)
    deliveries.push(await attemptsOver(stored).count(message('a', n > 0)));
  expect(deliveries).toEqual([1, 2, 3, 4, 5, 6]);
  const attempts = attemptsOver(stored);
  expect(await attempts.count(message('b', true))).toBe(2);
  await attempts.forget(message('a', true), 6);
  expect(await attempts.count(message('a', true))).toBe(2);
  await attempts.uncount(message('a', true), 2);
  expect(await attempts.count(message('a', true))).toBe(2);
});

it('uses the ids of messages, and the count of a quorum queue', async () => {
  const attempts = attemptsOver(new Map());
  expect(await attempts.count(message('a', true, { messageId: '1' }))).toBe(2);
  expect(await attempts.count(message('a', true, { messageId: '2' }))).toBe(2);
  expect(await attempts.count(message('x', true, { messageId: '1' }))).toBe(3);
  expect(await attempts.count(message('q', true, { headers: { 'x-delivery-count': 4 } }))).toBe(5);
});

it('pauses longer after each delivery, up to a minute', () => {
  expect([1, 2, 3, 4, 7, 50].map(pauseAfter)).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000]);
});
