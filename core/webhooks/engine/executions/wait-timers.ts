import type { Clock } from '#core/host';

/** Timers for runs that wait for a time. */
export class WaitTimers {
  readonly #timers = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly due: (id: string) => void,
  ) {}

  /** @param at milliseconds since 1970; what is past is due at once */
  add(id: string, at: number): void {
    this.remove(id);
    const cancel = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.#timers.delete(id);
      this.due(id);
    });
    this.#timers.set(id, cancel);
  }

  remove(id: string): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
