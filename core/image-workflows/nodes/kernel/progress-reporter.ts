import type { NodeContext } from './node-context.ts';

/**
 * Returns a function that reports a share of the work (0 to 1) in whole percent. It sends each percentage once, and
 * rejects with the signal's reason when the execution is cancelled.
 */
export function percentReporter({ progress, signal }: NodeContext): (share: number) => Promise<void> {
  let reported = -1;
  return async (share) => {
    const percent = Math.floor(100 * share);
    if (percent === reported) return signal.throwIfAborted();
    reported = percent;
    await progress(percent, 100);
  };
}
