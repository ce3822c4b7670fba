/** A run's work starts before anybody reads its events, and continues while the reader is slow. */
import { Deferred } from '#core/base';
import { ApiError } from '#core/http';
import { RUNNER_STOPPED } from '../base/engine-errors.ts';
import { canceled } from '../base/errors.ts';
import type { EventRun, RunEvent } from '../runs/events.ts';
import { EventQueue } from './event-queue.ts';

/** The side of a run that its work writes to. */
export interface RunOutput<E = RunEvent> {
  /** Aborts when the client disconnects or the reader stops early. The work must then end soon. */
  readonly signal: AbortSignal;
  /** Reports that the model is loaded and has accepted the prompt. The first event reports it, too. */
  accepted(): void;
  /** Hands an event to the reader, and waits while the reader is far behind. Rejects when the run is cancelled. */
  emit(event: E): Promise<void>;
}

/**
 * Starts a run.
 * @param work is called at once; its last event must be `done`
 * @throws what `work` itself throws; a rejection of its promise fails the run instead
 */
export function startRun<E extends { type: string } = RunEvent>(
  work: (output: RunOutput<E>) => Promise<void>,
  signal: AbortSignal,
): EventRun<E> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const ready = new Deferred<void>();
  // Nobody may be waiting: without this handler the rejection would count as unhandled.
  ready.promise.catch(() => {});
  const queue = new EventQueue<E>();
  let done = false;
  const finished = work({
    signal: either,
    accepted: () => ready.resolve(),
    async emit(event) {
      ready.resolve();
      if (event.type === 'done') done = true;
      queue.push(event);
      if (queue.isFull) await queue.room(either);
      either.throwIfAborted();
    },
  })
    .then(() => {
      if (!done) throw new Error(RUNNER_STOPPED);
    })
    .catch((cause) => {
      // The answer is complete: nothing that fails after it concerns the reader.
      if (done) return;
      const error = either.aborted && !(cause instanceof ApiError) ? canceled() : cause;
      ready.reject(error);
      queue.fail(error);
    })
    .finally(() => queue.close());

  const iterator: AsyncIterator<E> = {
    next: () => queue.next(),
    async return() {
      stop.abort(canceled());
      // The model is free when this returns.
      await finished;
      return { done: true, value: undefined };
    },
  };
  return { kind: 'events', ready: ready.promise, events: { [Symbol.asyncIterator]: () => iterator } };
}
