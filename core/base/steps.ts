import { nextTurn } from './turns.ts';

/** A long computation as a generator. It may stop after each step: to yield to the event loop, or for an interrupt. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps at once, without a yield. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}

/** Milliseconds of work between two yields. */
const INTERVAL = 20;

/** Runs the steps and yields to the event loop every 20 ms. Rejects with the signal's reason. */
export async function runYielding<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  let lastYield = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
    if (performance.now() - lastYield < INTERVAL) continue;
    await yieldToEventLoop(signal);
    lastYield = performance.now();
  }
}

/** Lets the event loop handle other events. Rejects with the signal's reason. */
export async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
