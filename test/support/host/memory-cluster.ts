import type { Cluster, QueuedExecution } from '#core/host';

/** Processes of one cluster in memory. Those of `running` count as running. */
export class MemoryClusters {
  readonly running = new Set<string>();
  /** Whether nothing can be claimed, because what decides is away. */
  isAway = false;
  readonly #claims = new Set<string>();
  readonly #numbers = new Map<string, number>();
  /** The queue, which tests serve. */
  readonly queued: QueuedExecution[] = [];
  /** Listeners of events by their process. */
  readonly #listeners = new Map<string, Set<(event: object) => void>>();
  /** To be called when `running` has changed. */
  readonly workerListeners: (() => void)[] = [];
  /** Answers the requests between processes. */
  answer: Cluster['ask'] = async (process) => Promise.reject(new Error(`${process} does not answer`));

  open(process: string): Cluster {
    this.running.add(process);
    const listenersOf = () => [...this.#listeners];
    return {
      process,
      isRunning: async (name) => this.running.has(name),
      nextNumber: async (sequence, lowest) => {
        const number = Math.max(lowest, (this.#numbers.get(sequence) ?? 0) + 1);
        this.#numbers.set(sequence, number);
        return number;
      },
      claim: async (right) => {
        if (this.isAway) throw new Error('connect ECONNREFUSED');
        if (this.#claims.has(right)) return undefined;
        this.#claims.add(right);
        return async () => void this.#claims.delete(right);
      },
      onChange: () => {},
      queueExecutions: async (entries) => {
        const isNew = ({ id, takeovers }: QueuedExecution) =>
          !this.queued.some((each) => each.id === id && each.takeovers === takeovers);
        this.queued.push(...entries.filter(isNew));
      },
      queueLength: async () => this.queued.length,
      ask: (...call) => this.answer(...call),
      workers: () => [...this.running],
      onWorkers: (listener) => this.workerListeners.push(listener),
      publish: (event) => {
        for (const [name, listeners] of this.#listeners)
          if (name !== process) for (const listener of listeners) listener(structuredClone(event));
      },
      subscribe: (listener) => {
        const own = this.#listeners.get(process) ?? new Set();
        this.#listeners.set(process, own.add(listener));
        return () => void own.delete(listener);
      },
      get isWatched() {
        return listenersOf().some(([name, listeners]) => name !== process && listeners.size > 0);
      },
    };
  }
}
