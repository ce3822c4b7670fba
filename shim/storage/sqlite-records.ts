import Database from 'libsql';
import {
  type ListQuery,
  type RecordChange,
  type RecordCollection,
  type Records,
  type RecordsSchema,
  StorageFull,
} from '#core/host';
import { GroupCommit } from './group-commit.ts';
import { prepareTables, quoteIdentifier, tableOf } from './sqlite-schema.ts';

/** Stores records in one SQLite file in WAL mode. Opening migrates it to the schema's version. */
export class SqliteRecords implements Records {
  readonly #database: Database.Database;
  readonly #collections = new Map<string, SqliteCollection<object>>();
  readonly #commits: GroupCommit;

  /** @throws NewerRecords if a later version has written the file */
  constructor(
    path: string,
    private readonly schema: RecordsSchema,
  ) {
    this.#database = new Database(path);
    try {
      this.#database.pragma('journal_mode = WAL');
      // With this setting, transactions survive a crash of the process. A power failure may lose the last ones.
      this.#database.pragma('synchronous = NORMAL');
      prepareTables(this.#database, schema, path);
      this.#commits = new GroupCommit(this.#database, recordsError, () => {
        for (const collection of this.#collections.values()) collection.revision++;
      });
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  collection<T extends object>(name: string): RecordCollection<T> {
    return this.#collection(name) as unknown as RecordCollection<T>;
  }

  async write(changes: RecordChange[]): Promise<void> {
    const steps = changes.map(({ collection, key, doc }) => {
      const target = this.#collection(collection);
      return doc === undefined ? () => target.drop(key) : target.store(key, doc);
    });
    await this.#commits.write(() => {
      for (const step of steps) step();
    });
  }

  /** One process at a time opens the file, so that it knows every change. */
  revision(collection: string): number {
    return this.#collection(collection).revision;
  }

  close(): void {
    this.#commits.flush();
    this.#database.close();
  }

  #collection(name: string): SqliteCollection<object> {
    const definition = this.schema.collections[name];
    if (!definition) throw new Error(`unknown collection ${name}`);
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new SqliteCollection(this.#database, this.#commits, name, definition.indexes);
      this.#collections.set(name, collection);
    }
    return collection;
  }
}

/** The core's error for a failed write. */
function recordsError(error: unknown): unknown {
  if ((error as { code?: string }).code !== 'SQLITE_FULL') return error;
  return new StorageFull('no space left for records: free some space, or set TABD_HOME to a larger disk', {
    cause: error,
  });
}

class SqliteCollection<T extends object> implements RecordCollection<T> {
  readonly #statements = new Map<string, Database.Statement>();
  readonly #table: string;
  /** Grows with every change. */
  revision = 0;

  constructor(
    private readonly database: Database.Database,
    private readonly commits: GroupCommit,
    private readonly name: string,
    private readonly indexes: string[],
  ) {
    this.#table = quoteIdentifier(tableOf(name));
  }

  async get(key: string): Promise<T | undefined> {
    const row = this.#prepare(`SELECT doc FROM ${this.#table} WHERE key = ?`).get(key) as
      | { doc: string }
      | undefined;
    return row && (JSON.parse(row.doc) as T);
  }

  async put(key: string, doc: T): Promise<void> {
    await this.commits.write(this.store(key, doc));
  }

  async delete(key: string): Promise<boolean> {
    return this.commits.write(() => this.drop(key));
  }

  /** Returns a function that writes the current state of `doc`. It must run in a transaction. */
  store(key: string, doc: T): () => void {
    const json = JSON.stringify(doc);
    const statement = this.#prepare(
      `INSERT INTO ${this.#table} (key, doc) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET doc = excluded.doc`,
    );
    return () => {
      statement.run(key, json);
      this.revision++;
    };
  }

  /** Deletes a record. Must run in a transaction. Returns whether it existed. */
  drop(key: string): boolean {
    const { changes } = this.#prepare(`DELETE FROM ${this.#table} WHERE key = ?`).run(key);
    this.revision++;
    return changes > 0;
  }

  async list(query: ListQuery = {}): Promise<{ key: string; doc: T }[]> {
    const { index, equals, from, to, reverse, limit } = query;
    if (index !== undefined && !this.indexes.includes(index)) {
      throw new Error(`collection ${this.name} has no index ${index}`);
    }
    const value = index === undefined ? 'key' : `json_extract(doc, '$.${index}')`;
    const conditions: string[] = [];
    const parameters: (string | number)[] = [];
    // As in IndexedDB, the index contains only documents whose field is a number or a text.
    if (index !== undefined) conditions.push(`json_type(doc, '$.${index}') IN ('integer', 'real', 'text')`);
    const bound = (operator: string, limit: string | number | undefined) => {
      if (limit === undefined) return;
      conditions.push(`${value} ${operator} ?`);
      parameters.push(limit);
      if (operator !== '=') {
        conditions.push(`typeof(${value}) ${typeof limit === 'string' ? '=' : '<>'} 'text'`);
      }
    };
    bound('=', equals);
    bound('>=', from);
    bound('<=', to);
    const direction = reverse ? 'DESC' : 'ASC';
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const order = index === undefined ? `key ${direction}` : `${value} ${direction}, key ${direction}`;
    if (limit !== undefined) parameters.push(limit);
    const rows = this.#prepare(
      `SELECT key, doc FROM ${this.#table} ${where} ORDER BY ${order}${limit === undefined ? '' : ' LIMIT ?'}`,
    ).all(...parameters) as { key: string; doc: string }[];
    return rows.map(({ key, doc }) => ({ key, doc: JSON.parse(doc) as T }));
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
