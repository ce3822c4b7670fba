export interface UndoOptions {
  /** Milliseconds within which a change with the same key joins the last step. Default: no limit. */
  mergeWindow?: number;
  now?: () => number;
}

/** A value with its undo and redo steps. Successive changes with the same key, such as typing, are one step. */
export class UndoHistory<T> {
  #past: T[] = [];
  #future: T[] = [];
  #key: string | undefined;
  #time = Number.NEGATIVE_INFINITY;

  readonly #mergeWindow: number;
  readonly #now: () => number;

  constructor(
    public present: T,
    { mergeWindow = Number.POSITIVE_INFINITY, now = () => performance.now() }: UndoOptions = {},
  ) {
    this.#mergeWindow = mergeWindow;
    this.#now = now;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  push(next: T, key?: string): void {
    if (next === this.present) return;
    const time = this.#now();
    const joins = key !== undefined && key === this.#key && time - this.#time < this.#mergeWindow;
    if (!joins) {
      this.#past.push(this.present);
      if (this.#past.length > MAX_STEPS) this.#past.shift();
    }
    this.#future = [];
    this.#key = key;
    this.#time = time;
    this.present = next;
  }

  undo(): boolean {
    const last = this.#past.pop();
    if (last === undefined) return false;
    this.#future.push(this.present);
    this.present = last;
    this.#key = undefined;
    return true;
  }

  redo(): boolean {
    const next = this.#future.pop();
    if (next === undefined) return false;
    this.#past.push(this.present);
    this.present = next;
    this.#key = undefined;
    return true;
  }
}

const MAX_STEPS = 200;
