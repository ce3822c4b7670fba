import type Database from 'libsql';
import { type Doc, NewerRecords, type RecordsSchema } from '#core/host';

export const tableOf = (collection: string): string => `collection_${collection}`;
export const quoteIdentifier = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** Creates missing tables and indexes, and migrates old records, in one transaction. */
export function prepareTables(database: Database.Database, schema: RecordsSchema, path: string): void {
  const names = Object.entries(schema.collections).flatMap(([name, { indexes }]) => [name, ...indexes]);
  for (const name of names) {
    // Names are inserted into SQL and JSON paths.
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`not a name of a collection or index: ${name}`);
  }
  database
    .transaction(() => {
      const found = userVersion(database);
      if (found > schema.version)
        throw new NewerRecords(
          `${path} was written by a newer tabd (its records have version ${found}, this tabd supports ${schema.version}). ` +
            'Nothing was changed. Update tabd, or set TABD_HOME to another folder.',
        );
      for (const [name, { indexes }] of Object.entries(schema.collections)) {
        const table = tableOf(name);
        database.exec(
          `CREATE TABLE IF NOT EXISTS ${quoteIdentifier(table)} (key TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID`,
        );
        for (const index of indexes) {
          database.exec(
            `CREATE INDEX IF NOT EXISTS ${quoteIdentifier(`${table}_${index}`)} ON ${quoteIdentifier(table)} (json_extract(doc, '$.${index}'), key)`,
          );
        }
      }
      // A new file has version 0 and no records to migrate.
      for (let version = found; found > 0 && version < schema.version; version++) {
        const migration = schema.migrations[version];
        if (!migration) continue;
        for (const name of Object.keys(schema.collections)) migrate(database, name, migration);
      }
      database.exec(`PRAGMA user_version = ${schema.version}`);
    })
    .immediate();
}

function migrate(database: Database.Database, name: string, migration: RecordsSchema['migrations'][number]) {
  const table = quoteIdentifier(tableOf(name));
  const rows = database.prepare(`SELECT key, doc FROM ${table}`).all() as { key: string; doc: string }[];
  const update = database.prepare(`UPDATE ${table} SET doc = ? WHERE key = ?`);
  const drop = database.prepare(`DELETE FROM ${table} WHERE key = ?`);
  for (const { key, doc } of rows) {
    const migrated = migration(name, key, JSON.parse(doc) as Doc);
    if (migrated === undefined) drop.run(key);
    else update.run(JSON.stringify(migrated), key);
  }
}

function userVersion(database: Database.Database): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}
