/** Work without pauses keeps requests waiting, also the one that would interrupt it. */
const LONGEST = 12;

/** Gives way to others, but only after some milliseconds of work: giving way costs one itself. */
export class EventLoopYielder {
  #since = performance.now();

  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#since < LONGEST) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#since = performance.now();
  }
}
