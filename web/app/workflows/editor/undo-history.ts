/** A value with its undo and redo steps. */
export class UndoHistory<T> {
  #past: T[] = [];
  #future: T[] = [];
  #lastKey: string | undefined;

  constructor(public present: T) {}

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** @param mergeKey consecutive changes with the same key are undone in one step, such as typing in a field */
  push(next: T, mergeKey?: string): void {
    if (next === this.present) return;
    if (mergeKey === undefined || mergeKey !== this.#lastKey) this.#past.push(this.present);
    if (this.#past.length > MAX_STEPS) this.#past.shift();
    this.#lastKey = mergeKey;
    this.#future = [];
    this.present = next;
  }

  undo(): void {
    this.#step(this.#past, this.#future);
  }

  redo(): void {
    this.#step(this.#future, this.#past);
  }

  #step(from: T[], to: T[]): void {
    const state = from.pop();
    if (state === undefined) return;
    to.push(this.present);
    this.#lastKey = undefined;
    this.present = state;
  }
}

const MAX_STEPS = 200;
