/** A table of Postgres with vectors, in the form of LangChain. */
import { isObject } from '#core/base';
import type { SqlClient } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import type { ScoredDocument } from '../../../node-api/sub-nodes.ts';
import { postgresDialect } from '../../databases/sql/dialect.ts';
import type { DocumentStore, EmbeddedDocument } from './document-store.ts';
import { filterConditions } from './pgvector-filter.ts';

const { quote } = postgresDialect;

/** The names of a table and its columns. Names of tables may have a schema before them. */
export interface TableLayout {
  table: string[];
  id: string;
  vector: string;
  content: string;
  metadata: string;
  distance: keyof typeof OPERATORS;
  /** The documents are those of one collection, whose name is in another table. */
  collection?: { name: string; table: string[] };
}

/** pgvector's operators. The inner product is negative, so that less is nearer for all of them. */
const OPERATORS = { cosine: '<=>', innerProduct: '<#>', euclidean: '<->' };
/** Documents of one statement. */
const ROWS = 500;
/** A lock of this program, so that two executions do not create the same things at once. */
const CREATION_LOCK = 7_239_465_012;

export class PgVectorTable implements DocumentStore {
  readonly #table: string;
  #collectionId: Promise<unknown> | undefined;

  constructor(
    private readonly client: Pick<SqlClient, 'query'>,
    private readonly layout: TableLayout,
  ) {
    this.#table = qualified(layout.table);
  }

  /** Creates what is missing: the extension, the table, the table of collections. */
  async ensure(): Promise<void> {
    const { collection, id, content, metadata, vector } = this.layout;
    const collections = collection ? qualified(collection.table) : '';
    const [row] = await this.#rows(
      `SELECT to_regclass($1) IS NOT NULL AS has_table, to_regclass($2) IS NOT NULL AS has_collections,
        EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'collection_id') AS is_linked`,
      [this.#table, collections || this.#table],
    );
    // Users without the right to create things can use a table that is there.
    if (row?.has_table && (!collection || (row.has_collections && row.is_linked))) return;
    const statements = [
      `SELECT pg_advisory_xact_lock(${CREATION_LOCK})`,
      'CREATE EXTENSION IF NOT EXISTS vector',
      `CREATE TABLE IF NOT EXISTS ${this.#table} (
        ${quote(id)} uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
        ${quote(content)} text,
        ${quote(metadata)} jsonb,
        ${quote(vector)} vector
      )`,
    ];
    if (collection) {
      statements.push(
        `CREATE TABLE IF NOT EXISTS ${collections} (
          uuid uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
          name character varying,
          cmetadata jsonb
        )`,
        `CREATE INDEX IF NOT EXISTS ${quote(`idx_${collection.table.join('_')}_name`)} ON ${collections} (name)`,
        `ALTER TABLE ${this.#table} ADD COLUMN IF NOT EXISTS collection_id uuid
          REFERENCES ${collections} (uuid) ON DELETE CASCADE`,
      );
    }
    // One text is one transaction.
    await this.client.query(statements.join(';\n'));
  }

  async add(batches: AsyncIterable<EmbeddedDocument[]>): Promise<void> {
    const { content, vector, metadata, collection } = this.layout;
    const columns = [content, vector, metadata, ...(collection ? ['collection_id'] : [])];
    const into = `INSERT INTO ${this.#table} (${columns.map(quote).join(', ')}) VALUES `;
    const owner = collection ? [await this.#collection()] : [];
    for await (const batch of batches) {
      for (let from = 0; from < batch.length; from += ROWS) {
        const values: unknown[] = [];
        const rows = batch.slice(from, from + ROWS).map((document) => {
          const row = [
            withoutZeros(document.pageContent),
            vectorText(document.vector),
            JSON.stringify(document.metadata, (_, value) => withoutZeros(value)),
            ...owner,
          ];
          return `(${row.map((value) => `$${values.push(value)}`).join(', ')})`;
        });
        await this.client.query(into + rows.join(', '), values);
      }
    }
  }

  /** `score`: the distance, less is nearer. @param filter values of the metadata by its fields */
  async search(vector: number[], count: number, filter: JsonObject = {}): Promise<ScoredDocument[]> {
    const { id, content, metadata, vector: vectors, distance, collection } = this.layout;
    const values: unknown[] = [vectorText(vector), count];
    const conditions = [`${quote(vectors)} IS NOT NULL`, `${quote(content)} IS NOT NULL`];
    if (collection) conditions.push(`collection_id = $${values.push(await this.#collection())}`);
    conditions.push(...filterConditions(quote(metadata), filter, values));
    const rows = await this.#rows(
      `SELECT ${quote(id)} AS id, ${quote(content)} AS content, ${quote(metadata)} AS metadata,
        ${quote(vectors)} ${OPERATORS[distance]} $1 AS distance
      FROM ${this.#table} WHERE ${conditions.join(' AND ')} ORDER BY distance ASC LIMIT $2`,
      values,
    );
    return rows.map((row) => ({
      document: {
        pageContent: String(row.content),
        metadata: isObject(row.metadata) ? row.metadata : {},
        id: typeof row.id === 'number' ? row.id : String(row.id),
      },
      // A vector of zeros has no angle, and no number.
      score: typeof row.distance === 'number' ? row.distance : Number.NaN,
    }));
  }

  /** The id of the collection, which is created when it is missing. */
  #collection(): Promise<unknown> {
    const { name, table } = this.layout.collection!;
    const find = async () => {
      const [found] = await this.#rows(`SELECT uuid FROM ${qualified(table)} WHERE name = $1 LIMIT 1`, [
        name,
      ]);
      if (found) return found.uuid;
      const [created] = await this.#rows(
        `INSERT INTO ${qualified(table)} (uuid, name) VALUES (gen_random_uuid(), $1) RETURNING uuid`,
        [name],
      );
      return created?.uuid;
    };
    this.#collectionId ??= find();
    return this.#collectionId;
  }

  async #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    const [result] = await this.client.query(text, values);
    return result?.rows ?? [];
  }
}

function qualified(parts: string[]): string {
  return parts.map(quote).join('.');
}

function vectorText(vector: number[]): string {
  return `[${vector.join(',')}]`;
}

/** Postgres stores no text with the character zero. */
function withoutZeros(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '') : value;
}
