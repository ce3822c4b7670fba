import type { NodeContext } from './node-context.ts';

/** Tells shares of the work in percent, each once. Throws when it is to end. */
export function percentReporter({ progress, signal }: NodeContext): (share: number) => Promise<void> {
  let told = -1;
  return async (share) => {
    const percent = Math.floor(100 * share);
    if (percent === told) return signal.throwIfAborted();
    told = percent;
    await progress(percent, 100);
  };
}
