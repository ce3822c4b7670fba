/**
 * Agreements of several processes over the same records. Each of them runs the core, and has a memory of its own.
 */
export interface Cluster {
  /** The name of this process. No other process has it, and no later one either. */
  readonly process: string;
  /** Whether the process of this name runs. For some seconds after its end, the answer is still true. */
  isRunning(process: string): Promise<boolean>;
  /**
   * The next number of a sequence, which no process gets twice.
   * @param lowest the number is at least this: the sequence may be younger than the records
   */
  nextNumber(sequence: string, lowest: number): Promise<number>;
  /**
   * Claims a right that one process at a time may have.
   * @returns what gives it back. Undefined: another process has it
   */
  claim(right: string): Promise<(() => Promise<void>) | undefined>;
  /**
   * Calls `listener` with the key of each record of the collection that a process has changed.
   * @param listener undefined: changes may have been missed, so every record may be another one
   */
  onChange(collection: WatchedCollection, listener: (key: string | undefined) => void): void;
}

/** The collections whose changes are reported. */
export const WATCHED_COLLECTIONS = ['workflows', 'publications'] as const;
/** The name of one of them. */
export type WatchedCollection = (typeof WATCHED_COLLECTIONS)[number];
