import type { Clock } from '#core/host';

/** Longest delay that a timer of the browser takes. */
const LONGEST = 2 ** 31 - 1;

export const browserClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  nanoseconds: () => Math.round(performance.now() * 1e6),
  after(milliseconds, callback) {
    let handle: ReturnType<typeof setTimeout> | undefined;
    const wait = (left: number) => {
      handle = setTimeout(
        () => (left > LONGEST ? wait(left - LONGEST) : callback()),
        Math.min(left, LONGEST),
      );
    };
    if (milliseconds !== Number.POSITIVE_INFINITY) wait(Math.max(0, milliseconds));
    return () => clearTimeout(handle);
  },
};
