import type { Clock } from '#core/host';

/** The longest delay of `setTimeout` in milliseconds, which fires at once for longer ones. */
const MAX_DELAY = 2 ** 31 - 1;
/**
 * Milliseconds. A larger difference between the clocks means that the system's time was set, or that it
 * slept.
 */
const DRIFT = 250;

/** Wall time with microseconds: the system's time at the start plus the monotonic clock. */
export function systemClock(): Clock {
  let base = Date.now() - performance.now();
  return {
    now() {
      const system = Date.now();
      let time = base + performance.now();
      if (Math.abs(time - system) > DRIFT) {
        base = system - performance.now();
        time = system;
      }
      return Math.round(time * 1000) / 1000;
    },
    nanoseconds: () => Number(process.hrtime.bigint()),
    after(milliseconds, callback) {
      let handle: NodeJS.Timeout | undefined;
      const due = performance.now() + milliseconds;
      const wait = () => {
        const left = due - performance.now();
        handle = left > MAX_DELAY ? setTimeout(wait, MAX_DELAY) : setTimeout(callback, Math.max(0, left));
      };
      if (milliseconds !== Number.POSITIVE_INFINITY) wait();
      return () => clearTimeout(handle);
    },
  };
}
