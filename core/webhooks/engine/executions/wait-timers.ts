import type { Clock } from '#core/host';

/** Timers of executions that wait for a time. */
export class WaitTimers {
  readonly #cancel = new Map<string, () => void>();

  /** @param onTime called with the id of an execution whose time has come */
  constructor(
    private readonly clock: Clock,
    private readonly onTime: (id: string) => void,
  ) {}

  /** @param at milliseconds since 1970; a time in the past has come at once */
  add(id: string, at: number): void {
    this.remove(id);
    const cancel = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.#cancel.delete(id);
      this.onTime(id);
    });
    this.#cancel.set(id, cancel);
  }

  remove(id: string): void {
    this.#cancel.get(id)?.();
    this.#cancel.delete(id);
  }

  close(): void {
    for (const cancel of this.#cancel.values()) cancel();
    this.#cancel.clear();
  }
}
