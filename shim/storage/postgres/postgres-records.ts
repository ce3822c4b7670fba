import type { ListQuery, RecordChange, RecordCollection, Records, RecordsSchema } from '#core/host';
import { type ConnectionOptions, PostgresConnection } from './postgres-connection.ts';
import { prepareTables, tablesOf } from './postgres-schema.ts';
import { listStatement, originalText, quote, rowKey, type TableSpec, toRow } from './postgres-tables.ts';
import { WriteQueue } from './write-queue.ts';

/** The PostgreSQL schema of the tables, unless the URL names another one. */
const DEFAULT_NAMESPACE = 'tabd';

/**
 * Stores records in PostgreSQL, for any number of processes at once. The URL may have `?schema=NAME`.
 * Operations wait while the server is away, and reject with `RecordsUnavailable` when that takes too long.
 */
export class PostgresRecords implements Records {
  readonly #tables: Map<string, TableSpec>;
  readonly #writes: WriteQueue;
  /** The sequences that are known to exist. */
  readonly #sequences = new Set<string>();

  private constructor(
    private readonly connection: PostgresConnection,
    schema: RecordsSchema,
    private readonly namespace: string,
    process: string | undefined,
  ) {
    this.#tables = tablesOf(schema, namespace);
    this.#writes = new WriteQueue(connection, namespace, schema.version, process);
  }

  /**
   * Connects, and brings the database to the schema's version.
   * @param process the name under which changes are announced to other processes. Undefined: there are none
   * @throws NewerRecords, RecordsUnavailable
   */
  static async open(
    options: ConnectionOptions,
    schema: RecordsSchema,
    process?: string,
  ): Promise<PostgresRecords> {
    const { url, namespace } = splitDatabaseUrl(options.url);
    const connection = new PostgresConnection({ ...options, url });
    try {
      await prepareTables(connection, schema, namespace);
      return new PostgresRecords(connection, schema, namespace, process);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** The server and database for people, without user and password. */
  get place(): string {
    return this.connection.place;
  }

  collection<T extends object>(name: string): RecordCollection<T> {
    const spec = this.#spec(name);
    return {
      get: async (key) => {
        const sql = `SELECT doc FROM ${spec.table} WHERE key = $1`;
        const [row] = await this.#read<{ doc: T }>(sql, [rowKey(key)]);
        return row?.doc;
      },
      put: async (key, doc) => {
        const row = toRow(key, doc, spec.indexes);
        await this.#writes.write([{ spec, key: row.key, row }]);
      },
      delete: async (key) => (await this.#writes.write([{ spec, key: rowKey(key) }]))[0]!,
      list: async (query: ListQuery = {}) => {
        const { sql, values } = listStatement(spec, query);
        const rows = await this.#read<{ key: string; doc: T }>(sql, values);
        return rows.map(({ key, doc }) => ({ key: originalText(key), doc }));
      },
    };
  }

  async write(changes: RecordChange[]): Promise<void> {
    const stored = changes.map(({ collection, key, doc }) => {
      const spec = this.#spec(collection);
      return doc === undefined
        ? { spec, key: rowKey(key) }
        : { spec, key: rowKey(key), row: toRow(key, doc, spec.indexes) };
    });
    if (stored.length > 0) await this.#writes.write(stored);
  }

  /**
   * The next number of a sequence, which no process gets twice. Numbers may be missing.
   * @param lowest the number is at least this
   */
  async nextNumber(sequence: string, lowest: number): Promise<number> {
    const name = `${quote(this.namespace)}.${quote(`sequence ${sequence}`)}`;
    if (!this.#sequences.has(name)) {
      await this.connection.query(`CREATE SEQUENCE IF NOT EXISTS ${name}`);
      this.#sequences.add(name);
    }
    for (;;) {
      const [row] = await this.connection.query<{ n: string }>('SELECT nextval($1) AS n', [name]);
      const number = Number(row!.n);
      if (number >= lowest) return number;
      await this.connection.query(
        `SELECT setval($1, GREATEST($2::bigint, (SELECT last_value FROM ${name})), $3)`,
        [name, lowest - 1, true],
      );
    }
  }

  /** Makes the pending writes and disconnects. */
  async close(): Promise<void> {
    await this.#writes.settled();
    await this.connection.close();
  }

  /** Readers of this process see its earlier writes, also those that are not committed when they ask. */
  async #read<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    await this.#writes.settled();
    return this.connection.query<T>(sql, values);
  }

  #spec(name: string): TableSpec {
    const spec = this.#tables.get(name);
    if (!spec) throw new Error(`unknown collection ${name}`);
    return spec;
  }
}

/** Separates tabd's own parameter from those of PostgreSQL. */
export function splitDatabaseUrl(text: string): { url: string; namespace: string } {
  if (!URL.canParse(text)) return { url: text, namespace: DEFAULT_NAMESPACE };
  const url = new URL(text);
  const namespace = url.searchParams.get('schema') ?? DEFAULT_NAMESPACE;
  url.searchParams.delete('schema');
  return { url: url.href, namespace };
}
