import type Database from 'libsql';

interface Member {
  work: () => unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Writers of one turn of the event loop share a transaction: beginning and ending one costs more than most writes. Each
 * promise resolves only when what it stands for is committed; readers of this connection see it before.
 */
export class GroupCommit {
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  #members: Member[] = [];
  #turn: NodeJS.Immediate | undefined;

  constructor(private readonly database: Database.Database) {
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
  }

  /** `work` runs at once, and alone once more when the transaction fails: all of it is kept, or nothing. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const member: Member = { work, resolve: resolve as Member['resolve'], reject };
      try {
        if (this.#members.length === 0) {
          this.#begin.run();
          this.#turn = setImmediate(() => this.flush());
        }
        const result = work();
        member.resolve = () => resolve(result);
        this.#members.push(member);
      } catch {
        this.#members.push(member);
        this.#apart();
      }
    });
  }

  /** Commits what there is. */
  flush(): void {
    if (this.#members.length === 0) return;
    clearImmediate(this.#turn);
    try {
      this.#commit.run();
    } catch {
      this.#apart();
      return;
    }
    const members = this.#members;
    this.#members = [];
    for (const member of members) member.resolve(undefined);
  }

  /** The transaction failed: each for itself, so that nobody fails for what another wrote. */
  #apart(): void {
    clearImmediate(this.#turn);
    this.#undo();
    const members = this.#members;
    this.#members = [];
    for (const { work, resolve, reject } of members) {
      try {
        this.#begin.run();
        const result = work();
        this.#commit.run();
        resolve(result);
      } catch (error) {
        this.#undo();
        reject(error);
      }
    }
  }

  #undo(): void {
    if (this.database.inTransaction) this.#rollback.run();
  }
}
