/** Milliseconds of work between two yields. */
const INTERVAL = 12;

/**
 * Yields to the event loop during a long computation, so that requests are answered meanwhile, an interrupt among them.
 * It does so after some milliseconds of work only, because each yield costs about one.
 */
export class EventLoopYielder {
  #lastYield = performance.now();

  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#lastYield < INTERVAL) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#lastYield = performance.now();
  }
}
