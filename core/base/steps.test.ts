import { describe, expect, it } from 'vitest';
import { runToEnd, runYielding, type Steps, yieldToEventLoop } from './steps.ts';

/** Works for some milliseconds a step. */
function* work(steps: number, milliseconds: number): Steps<number> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    yield;
  }
  return steps;
}
/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  return () => {
    clearInterval(timer);
    return turns;
  };
}
const { signal } = new AbortController();

it('runToEnd runs all steps without a yield', () => {
  const stop = countTurns();
  expect(runToEnd(work(3, 10))).toBe(3);
  expect(stop()).toBe(0);
});

describe('runYielding', () => {
  it('yields to the event loop when 20 ms have passed', async () => {
    const stop = countTurns();
    expect(await runYielding(work(10, 10), signal)).toBe(10);
    expect(stop()).toBeGreaterThanOrEqual(2);
  });

  it('does not yield before', async () => {
    const stop = countTurns();
    expect(await runYielding(work(1000, 0), signal)).toBe(1000);
    expect(stop()).toBeLessThanOrEqual(1);
  });

  it('rejects with the reason of the signal, between two steps', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('interrupted')), 0);
    await expect(runYielding(work(1e6, 10), controller.signal)).rejects.toThrow('interrupted');
  });
});

describe('yieldToEventLoop', () => {
  it('lets other work continue', async () => {
    let hasRun = false;
    setTimeout(() => {
      hasRun = true;
    }, 0);
    await yieldToEventLoop(signal);
    expect(hasRun).toBe(true);
  });

  it('rejects with the reason of the signal', async () => {
    await expect(yieldToEventLoop(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
