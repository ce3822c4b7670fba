/**
 * Milliseconds for which a worker counts as one that has a model, after it got a request for it. Until then its own
 * announcement has arrived, which is at most two intervals old.
 */
const COUNTED = 3000;

/** The models for which workers got requests lately. Their announcements do not name these yet. */
export class RecentModels {
  readonly #until = new Map<string, Map<string, number>>();

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  add(worker: string, model: string): void {
    const models = this.#until.get(worker) ?? new Map<string, number>();
    this.#until.set(worker, models.set(model, this.now() + COUNTED));
  }

  of(worker: string): string[] {
    const now = this.now();
    const models = this.#until.get(worker) ?? new Map<string, number>();
    for (const [model, until] of models) if (until <= now) models.delete(model);
    if (models.size === 0) this.#until.delete(worker);
    return [...models.keys()];
  }
}
