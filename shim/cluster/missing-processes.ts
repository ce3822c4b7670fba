/** Milliseconds between two looks at the processes that are away. */
const INTERVAL = 1000;
/** Milliseconds after which nobody asks for a process that is away: its work was taken over. */
const MEMORY = 60_000;

/** Since when processes are away. One that comes back and leaves again is away since then. */
export class MissingProcesses {
  /** Milliseconds of a monotonic clock. */
  readonly #since = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param isThere whether a process is connected now */
  constructor(private readonly isThere: (process: string) => Promise<boolean>) {}

  /** @returns for how many milliseconds the process has been away, as far as this process knows. Undefined: it is there */
  async awayFor(process: string): Promise<number | undefined> {
    if (await this.isThere(process)) {
      this.#since.delete(process);
      return undefined;
    }
    const now = performance.now();
    const since = this.#since.get(process) ?? now;
    this.#since.set(process, since);
    this.#timer ??= setInterval(() => void this.#look(), INTERVAL).unref();
    return now - since;
  }

  /** This process was away itself, so it knows nothing. */
  clear(): void {
    this.#since.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    for (const [process, since] of [...this.#since]) {
      const isOver = performance.now() - since > MEMORY || (await this.isThere(process).catch(() => false));
      if (isOver && this.#since.get(process) === since) this.#since.delete(process);
    }
    if (this.#since.size === 0) this.clear();
  }
}
