/** A run whose work begins at once, before anybody reads its events, and waits for no reader. */
import { ApiError } from '#core/http';
import type { Run, RunEvent } from '../runs/events.ts';
import { canceled } from '../scheduler/scheduler.ts';

/**
 * Called once; what it throws itself, `startRun` throws. `signal` ends the work; `accepted` is to be called when the
 * model is loaded and the prompt taken.
 */
export type Work = (signal: AbortSignal, accepted: () => void) => AsyncGenerator<RunEvent>;

/**
 * The work may be so many events ahead of its reader: more than a usual answer has, so that a slow reader does not keep
 * the model from others.
 */
const AHEAD = 16_384;

type Step = { event: RunEvent } | { error: unknown };

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
  let queue: Step[] = [];
  /** Of the queue, so many are taken. */
  let taken = 0;
  let over = false;
  let wakeReader = () => {};
  let wakeWork = () => {};
  const push = (step: Step) => {
    queue.push(step);
    wakeReader();
  };
  const quit = () => {
    wakeWork();
    void generator.return(undefined).catch(() => {});
  };
  either.addEventListener('abort', quit);

  const pump = async () => {
    let finished = false;
    try {
      for (;;) {
        const result = await generator.next();
        accept();
        // A generator that was ended from outside ends quietly; whoever still reads must not take that for a whole answer.
        if (result.done) {
          if (!finished) throw canceled();
          return;
        }
        finished = result.value.type === 'done';
        push({ event: result.value });
        while (queue.length - taken >= AHEAD && !either.aborted) {
          await new Promise<void>((resolve) => {
            wakeWork = resolve;
          });
        }
      }
    } catch (cause) {
      const error = either.aborted && !(cause instanceof ApiError) ? canceled() : cause;
      fail(error);
      push({ error });
    } finally {
      over = true;
      either.removeEventListener('abort', quit);
      wakeReader();
    }
  };
  void pump();

  const iterator: AsyncIterator<RunEvent> = {
    async next() {
      while (taken === queue.length) {
        if (over) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
      const step = queue[taken++]!;
      if (taken === queue.length || taken >= 1024) {
        queue = queue.slice(taken);
        taken = 0;
        wakeWork();
      }
      if ('error' in step) throw step.error;
      return { done: false, value: step.event };
    },
    async return() {
      if (!over) stop.abort(canceled());
      await generator.return(undefined).catch(() => {});
      return { done: true, value: undefined };
    },
  };
  return { kind: 'events', ready, events: { [Symbol.asyncIterator]: () => iterator } };
}
