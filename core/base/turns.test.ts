import { expect, it } from 'vitest';
import { nextTurn } from './turns.ts';

/** Computes without a pause. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

it('lets other events in between, however many computations run', async () => {
  const order: string[] = [];
  let isOver = false;
  const events = (async () => {
    const { port1, port2 } = new MessageChannel();
    while (!isOver) {
      await new Promise((resolve) => {
        port1.onmessage = resolve;
        port2.postMessage(0);
      });
      order.push('event');
    }
    port1.close();
  })();
  await Promise.all(
    Array.from({ length: 8 }, async (_, number) => {
      for (let slice = 0; slice < 3; slice++) {
        await nextTurn();
        order.push(String(number));
        work(5);
      }
    }),
  );
  isOver = true;
  await events;
  const slices = order.filter((entry) => entry !== 'event');
  // Each continues in its turn.
  expect(slices).toEqual(Array.from({ length: 24 }, (_, at) => String(at % 8)));
  const neighbors = order.filter((entry, at) => entry !== 'event' && (order[at + 1] ?? 'event') !== 'event');
  expect(neighbors).toEqual([]);
});

it('continues after a computation that has ended', async () => {
  await Promise.all([nextTurn(), nextTurn()]);
  await nextTurn();
  let count = 0;
  await Promise.all([1, 2, 3].map(() => nextTurn().then(() => count++)));
  expect(count).toBe(3);
});
