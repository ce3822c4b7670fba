/** A run whose work begins at once, before anybody reads its events. */
import { canceled } from '../scheduler/scheduler.ts';
import type { Run, RunEvent } from '../types.ts';

/**
 * Called once; what it throws itself, `startRun` throws. `signal` ends the work; `accepted` is to be called when the
 * model is loaded and the prompt taken.
 */
export type Work = (signal: AbortSignal, accepted: () => void) => AsyncGenerator<RunEvent>;

export function startRun(work: Work, signal: AbortSignal): Run {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let accept = () => {};
  let fail = (_error: unknown) => {};
  const ready = new Promise<void>((resolve, reject) => {
    accept = resolve;
    fail = reject;
  });
  ready.catch(() => {});

  const generator = work(either, accept);
  let finished = false;
  const step = async (): Promise<IteratorResult<RunEvent>> => {
    const result = await generator.next();
    // A generator that was ended from outside ends quietly; whoever still reads must not take that for a whole answer.
    if (result.done && !finished) throw canceled();
    if (!result.done && result.value.type === 'done') finished = true;
    return result;
  };
  let first: Promise<IteratorResult<RunEvent>> | undefined = step();
  first.then(accept, fail);
  const quit = () => void generator.return(undefined).catch(() => {});
  either.addEventListener('abort', quit);

  const iterator: AsyncIterator<RunEvent> = {
    async next() {
      const pending = first ?? step();
      first = undefined;
      const result = await pending;
      if (finished) either.removeEventListener('abort', quit);
      return result;
    },
    async return() {
      if (!finished) stop.abort(canceled());
      await generator.return(undefined).catch(() => {});
      return { done: true, value: undefined };
    },
  };
  return { kind: 'events', ready, events: { [Symbol.asyncIterator]: () => iterator } };
}
