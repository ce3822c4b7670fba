import type Database from 'libsql';

interface PendingWrite {
  work: () => unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Combines all writes of one turn of the event loop into a transaction, because a transaction costs more than most
 * writes. Each promise resolves after the commit. Readers of this connection see the change earlier.
 */
export class GroupCommit {
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  #writes: PendingWrite[] = [];
  #turn: NodeJS.Immediate | undefined;

  /**
   * @param describe the error with which a write rejects, for an error of the database
   * @param onUndo called when changes were undone that readers may have seen
   */
  constructor(
    private readonly database: Database.Database,
    private readonly describe: (error: unknown) => unknown,
    private readonly onUndo: () => void,
  ) {
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
  }

  /**
   * Runs `work` at once. If the common transaction fails, runs `work` again in a transaction of its own. It takes
   * effect completely or not at all.
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const pending: PendingWrite = { work, resolve: resolve as PendingWrite['resolve'], reject };
      try {
        if (this.#writes.length === 0) {
          this.#begin.run();
          this.#turn = setImmediate(() => this.flush());
        }
        const result = work();
        pending.resolve = () => resolve(result);
        this.#writes.push(pending);
      } catch {
        this.#writes.push(pending);
        this.#commitSeparately();
      }
    });
  }

  /** Commits the pending writes. */
  flush(): void {
    if (this.#writes.length === 0) return;
    clearImmediate(this.#turn);
    try {
      this.#commit.run();
    } catch {
      this.#commitSeparately();
      return;
    }
    const writes = this.#writes;
    this.#writes = [];
    for (const pending of writes) pending.resolve(undefined);
  }

  /** After a failed transaction: runs each write on its own, so that no write fails because of another one. */
  #commitSeparately(): void {
    clearImmediate(this.#turn);
    this.#undo();
    const writes = this.#writes;
    this.#writes = [];
    for (const { work, resolve, reject } of writes) {
      try {
        this.#begin.run();
        const result = work();
        this.#commit.run();
        resolve(result);
      } catch (error) {
        this.#undo();
        reject(this.describe(error));
      }
    }
  }

  #undo(): void {
    this.onUndo();
    if (this.database.inTransaction) this.#rollback.run();
  }
}
