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
  /**
   * Puts stored executions into the queue of all processes. One that is in the queue already stays where it is. The queue
   * may lose entries: the records decide what still has to run.
   */
  queueExecutions(entries: QueuedExecution[]): Promise<void>;
  /** How many entries of that queue wait. May be up to a second old. */
  queueLength(): Promise<number>;
  /**
   * Sends a request to an API of another process, as `caller: 'peer'`.
   * @param api the name of the API
   * @returns its response. Rejects with `PeerNotReached` when the process has not taken the request, and with another error
   *   when it may have
   */
  ask(process: string, api: string, request: Request): Promise<Response>;
  /** The processes that do the work of an API, perhaps this one among them. May be up to a second old. */
  workers(api: string): string[];
  /** Calls `listener` when `workers` may have changed. */
  onWorkers(listener: () => void): void;
  /** Reports an event to the processes that subscribe. It may be lost while a connection is broken. */
  publish(event: object): void;
  /** Calls `listener` with the events of the other processes. @returns a function that ends it */
  subscribe(listener: (event: object) => void): () => void;
  /** Whether another process subscribes. May be up to a second old. */
  readonly isWatched: boolean;
}

/** A process has not taken a request. */
export class PeerNotReached extends Error {
  override name = 'PeerNotReached';
}

/** An execution that waits for a process with room. */
export interface QueuedExecution {
  id: string;
  /** How many times it was taken over: each time it is another entry. */
  takeovers: number;
}

/** The collections whose changes are reported. */
export const WATCHED_COLLECTIONS = ['workflows', 'publications', 'workflowKeys'] as const;
/** The name of one of them. */
export type WatchedCollection = (typeof WATCHED_COLLECTIONS)[number];
