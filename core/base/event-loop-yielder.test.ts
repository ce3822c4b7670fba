import { describe, expect, it } from 'vitest';
import { EventLoopYielder } from './event-loop-yielder.ts';

function workFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('EventLoopYielder', () => {
  it('yields after 12 ms of work alone', async () => {
    const yielder = new EventLoopYielder();
    let hasRun = false;
    setTimeout(() => {
      hasRun = true;
    }, 0);
    await yielder.yieldIfDue();
    expect(hasRun).toBe(false);
    workFor(13);
    await yielder.yieldIfDue();
    expect(hasRun).toBe(true);
  });

  it('measures from the last yield', async () => {
    const yielder = new EventLoopYielder();
    workFor(13);
    await yielder.yieldIfDue();
    let hasRun = false;
    setTimeout(() => {
      hasRun = true;
    }, 0);
    await yielder.yieldIfDue();
    expect(hasRun).toBe(false);
  });
});
