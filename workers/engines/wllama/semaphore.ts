/** Limits how many tasks run at once. Tasks wait in the order of their arrival. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Waits for a place. Resolves with the function that releases it, which has an effect once. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
