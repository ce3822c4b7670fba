import type { Clock } from '#core/host';

/** The longest delay that `setTimeout` takes. */
const LONGEST = 2 ** 31 - 1;
/** Differences between the two clocks beyond this mean that the system's time was set, or that it slept. */
const DRIFT = 250;

/** Wall time with microseconds: steps of the monotonic clock on top of the system's time. */
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
        handle = left > LONGEST ? setTimeout(wait, LONGEST) : setTimeout(callback, Math.max(0, left));
      };
      if (milliseconds !== Number.POSITIVE_INFINITY) wait();
      return () => clearTimeout(handle);
    },
  };
}
