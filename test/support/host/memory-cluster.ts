import type { Cluster } from '#core/host';

/** Processes of one cluster in memory. Those of `running` count as running. */
export class MemoryClusters {
  readonly running = new Set<string>();
  readonly #claims = new Set<string>();
  readonly #numbers = new Map<string, number>();

  open(process: string): Cluster {
    this.running.add(process);
    return {
      process,
      isRunning: async (name) => this.running.has(name),
      nextNumber: async (sequence, lowest) => {
        const number = Math.max(lowest, (this.#numbers.get(sequence) ?? 0) + 1);
        this.#numbers.set(sequence, number);
        return number;
      },
      claim: async (right) => {
        if (this.#claims.has(right)) return undefined;
        this.#claims.add(right);
        return async () => void this.#claims.delete(right);
      },
      onChange: () => {},
    };
  }
}
