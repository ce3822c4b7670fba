import type pg from 'pg';
import { type Doc, NewerRecords, type RecordsSchema } from '#core/host';
import type { PostgresConnection } from './postgres-connection.ts';
import {
  hasField,
  indexOrder,
  numberColumn,
  putParameters,
  putStatement,
  quote,
  type TableSpec,
  textColumn,
  toRow,
} from './postgres-tables.ts';

/** Rows that a migration reads and writes at a time. */
const MIGRATION_BATCH = 200;

/** The tables of `schema` in the PostgreSQL schema `namespace`. */
export function tablesOf(schema: RecordsSchema, namespace: string): Map<string, TableSpec> {
  const entries = Object.entries(schema.collections).map(([collection, { indexes }]): [string, TableSpec] => {
    for (const name of [collection, ...indexes]) {
      // Names become parts of identifiers, of which PostgreSQL keeps 63 bytes.
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,39}$/.test(name))
        throw new Error(`not a name of a collection or index: ${name}`);
    }
    return [collection, { collection, table: `${quote(namespace)}.${quote(collection)}`, indexes }];
  });
  return new Map(entries);
}

export const versionTable = (namespace: string): string => `${quote(namespace)}.${quote('records version')}`;

/**
 * Creates missing tables, columns and indexes, and migrates old documents, in one transaction. Of several processes that
 * start at the same time one does the work, and the others wait for it.
 * @throws NewerRecords
 */
export async function prepareTables(
  connection: PostgresConnection,
  schema: RecordsSchema,
  namespace: string,
): Promise<void> {
  const tables = tablesOf(schema, namespace);
  await connection.transaction(async (client) => {
    // The lock ends with the transaction. Its number is that of this text, in this database.
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `tabd records ${namespace}`,
    ]);
    const found = await storedVersion(client, namespace);
    if (found > schema.version) throw newerRecords(connection.place, found, schema.version);
    const columns = await storedColumns(client, namespace);
    const isCurrent = [...tables.values()].every(({ collection, indexes }) =>
      hasExactly(columns.get(collection), indexes),
    );
    if (found === schema.version && isCurrent) return;
    await createNamespace(client, namespace);
    // Processes of the former version finish their transactions first. Later ones are refused.
    await client.query(`LOCK TABLE ${versionTable(namespace)} IN ACCESS EXCLUSIVE MODE`);
    for (const spec of tables.values()) {
      const before = columns.get(spec.collection);
      await createTable(client, spec, before);
      const needsRewriting = before !== undefined && !hasExactly(before, spec.indexes);
      if (needsRewriting || (found > 0 && found < schema.version)) await migrate(client, spec, schema, found);
    }
    await client.query(`DELETE FROM ${versionTable(namespace)}`);
    await client.query(`INSERT INTO ${versionTable(namespace)} (version) VALUES ($1)`, [schema.version]);
  });
}

/** @param found the version in the database */
export function newerRecords(place: string, found: number, supported: number): NewerRecords {
  return new NewerRecords(
    `the database ${place} was written by a newer tabd (its records have version ${found}, this tabd supports ` +
      `${supported}). Nothing was changed. Update tabd, or set TABD_DATABASE_URL to another database.`,
  );
}

async function createNamespace(client: pg.PoolClient, namespace: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [namespace]);
  // `IF NOT EXISTS` alone would need the permission to create schemas also when it exists.
  if (!rowCount) await client.query(`CREATE SCHEMA IF NOT EXISTS ${quote(namespace)}`);
  await client.query(`CREATE TABLE IF NOT EXISTS ${versionTable(namespace)} (version integer NOT NULL)`);
}

/** 0: there are no records yet. */
async function storedVersion(client: pg.PoolClient, namespace: string): Promise<number> {
  const table = versionTable(namespace);
  const { rows: found } = await client.query<{ name: string | null }>('SELECT to_regclass($1) AS name', [
    table,
  ]);
  if (found[0]?.name == null) return 0;
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${table}`);
  return rows[0]?.version ?? 0;
}

/** The columns of each table. */
async function storedColumns(client: pg.PoolClient, namespace: string): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ table: string; column: string }>(
    'SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = $1',
    [namespace],
  );
  const columns = new Map<string, Set<string>>();
  for (const { table, column } of rows) columns.set(table, (columns.get(table) ?? new Set()).add(column));
  return columns;
}

const indexColumns = (indexes: readonly string[]): string[] =>
  indexes.flatMap((index) => [`${index}_number`, `${index}_text`]);

function hasExactly(columns: Set<string> | undefined, indexes: readonly string[]): boolean {
  const expected = ['key', 'doc', ...indexColumns(indexes)];
  return columns?.size === expected.length && expected.every((column) => columns.has(column));
}

/** Creates the table, or gives it the columns of its indexes and removes all others. */
async function createTable(
  client: pg.PoolClient,
  { collection, table, indexes }: TableSpec,
  before: Set<string> | undefined,
): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, doc json NOT NULL)`,
  );
  const required = new Set(['key', 'doc', ...indexColumns(indexes)]);
  for (const column of before ?? []) {
    if (!required.has(column)) await client.query(`ALTER TABLE ${table} DROP COLUMN ${quote(column)}`);
  }
  for (const index of indexes) {
    await client.query(
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${numberColumn(index)} double precision, ` +
        `ADD COLUMN IF NOT EXISTS ${textColumn(index)} text COLLATE "C"`,
    );
    await client.query(
      `CREATE INDEX IF NOT EXISTS ${quote(`${collection}_${index}`)} ON ${table} ` +
        `(${indexOrder(index).join(', ')}) WHERE ${hasField(index)}`,
    );
  }
}

/** Brings all documents of a table to the schema's version, and fills the columns of its indexes. */
async function migrate(
  client: pg.PoolClient,
  spec: TableSpec,
  schema: RecordsSchema,
  found: number,
): Promise<void> {
  let last = '';
  for (;;) {
    const { rows } = await client.query<{ key: string; doc: Doc }>(
      `SELECT key, doc FROM ${spec.table} WHERE key > $1 ORDER BY key LIMIT ${MIGRATION_BATCH}`,
      [last],
    );
    if (rows.length === 0) return;
    last = rows.at(-1)!.key;
    const put = [];
    const dropped: string[] = [];
    for (const { key, doc } of rows) {
      const migrated = migrateDocument(spec.collection, key, doc, schema, found);
      // The key of a row is stored already, so it stays as it is.
      if (migrated) put.push({ ...toRow('', migrated, spec.indexes), key });
      else dropped.push(key);
    }
    if (put.length > 0) await client.query(putStatement(spec), putParameters(put, spec));
    if (dropped.length > 0) await client.query(`DELETE FROM ${spec.table} WHERE key = ANY($1)`, [dropped]);
  }
}

function migrateDocument(
  collection: string,
  key: string,
  doc: Doc,
  { version, migrations }: RecordsSchema,
  found: number,
): Doc | undefined {
  let migrated: Doc | undefined = doc;
  for (let from = found; migrated && from < version; from++) {
    const migration = migrations[from];
    if (migration) migrated = migration(collection, key, migrated);
  }
  return migrated;
}
