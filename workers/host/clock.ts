import type { Clock } from '#core/host';

/** The longest delay in milliseconds that a browser's timer supports. Longer ones overflow. */
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
