import type { Clock } from '#core/host';

/** Milliseconds. Longer delays overflow in a browser's timer. */
const MAX_DELAY = 2 ** 31 - 1;

/** The clock of the browser. Its timers take delays of any length. */
export const browserClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  nanoseconds: () => Math.round(performance.now() * 1e6),
  after(milliseconds, callback) {
    let handle: ReturnType<typeof setTimeout> | undefined;
    const wait = (remaining: number) => {
      handle = setTimeout(
        () => (remaining > MAX_DELAY ? wait(remaining - MAX_DELAY) : callback()),
        Math.min(remaining, MAX_DELAY),
      );
    };
    if (milliseconds !== Number.POSITIVE_INFINITY) wait(Math.max(0, milliseconds));
    return () => clearTimeout(handle);
  },
};
