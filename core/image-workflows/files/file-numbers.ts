/** Prefixes of files whose last number is remembered. */
const MAX_PREFIXES = 10_000;

/** Gives numbers for new files in a cluster, so that two processes do not save files of the same name. */
export class FileNumbers {
  /** The last number of each prefix, the least recently used one first. */
  readonly #last = new Map<string, number>();

  /**
   * The next number of a prefix.
   * @param lowest the lowest number that no file has
   */
  next(prefix: string, lowest: number): number {
    const number = Math.max(lowest, (this.#last.get(prefix) ?? 0) + 1);
    this.#last.delete(prefix);
    this.#last.set(prefix, number);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_PREFIXES) this.#last.delete(oldest!);
    return number;
  }
}
