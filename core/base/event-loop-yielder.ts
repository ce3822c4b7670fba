import { nextTurn } from './turns.ts';

/** Milliseconds of work between two yields. */
const INTERVAL = 12;

/**
 * Yields to the event loop during a long computation, so that the server answers requests meanwhile, such as interrupts.
 * A yield costs about a millisecond, so it comes after some milliseconds of work.
 */
export class EventLoopYielder {
  #lastYield = performance.now();

  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#lastYield < INTERVAL) return;
    await nextTurn();
    this.#lastYield = performance.now();
  }
}
