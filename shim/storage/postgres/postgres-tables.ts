/** Names, columns and statements of the tables, one for each collection. */
import type { ListQuery } from '#core/host';

/**
 * A collection in PostgreSQL. `doc` has the type `json`, which stores the text as it is: `jsonb` would reorder the fields
 * of a document and refuse `\u0000`. Each index has two columns, for numbers and for texts, filled by tabd.
 *
 * ```
 * key text COLLATE "C" PRIMARY KEY, doc json, size_number float8, size_text text COLLATE "C"
 * ```
 */
export interface TableSpec {
  collection: string;
  /** Quoted, with the schema. */
  table: string;
  indexes: readonly string[];
}

/** Characters of a text that the database's index contains. Longer texts are compared in the table. */
export const INDEXED_PREFIX = 200;
/** Bytes of the longest key: a B-tree of PostgreSQL refuses entries from 2704 bytes on. */
export const LONGEST_KEY = 2000;

export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
export const numberColumn = (index: string): string => quote(`${index}_number`);
export const textColumn = (index: string): string => quote(`${index}_text`);

/** A text as PostgreSQL can store it, which has no NUL. The order by bytes stays the same. */
export const storedText = (text: string): string =>
  text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');

/** The text that `storedText` was called with. */
export const originalText = (stored: string): string =>
  stored.replaceAll('\x01\x01', '\0').replaceAll('\x01\x02', '\x01');

/** A document as its row has it. */
export interface Row {
  key: string;
  json: string;
  /** For each index of the table: the number and the text. */
  fields: [number: number | null, text: string | null][];
}

/** @throws RangeError for a key that is too long */
export function toRow(key: string, doc: object, indexes: readonly string[]): Row {
  const json = JSON.stringify(doc);
  const fields = indexes.map((index): Row['fields'][number] => {
    const value = (doc as Record<string, unknown>)[index];
    return [
      Number.isFinite(value) ? (value as number) : null,
      typeof value === 'string' ? storedText(value) : null,
    ];
  });
  return { key: rowKey(key), json, fields };
}

/** @throws RangeError for a key that is too long */
export function rowKey(key: string): string {
  const stored = storedText(key);
  const bytes = Buffer.byteLength(stored);
  if (bytes > LONGEST_KEY)
    throw new RangeError(
      `a key of ${bytes} bytes is too long for records in PostgreSQL: at most ${LONGEST_KEY}`,
    );
  return stored;
}

/** Inserts or replaces rows. The parameters are the columns, see `putParameters`. */
export function putStatement({ table, indexes }: TableSpec): string {
  const columns = ['key', 'doc', ...indexes.flatMap((index) => [numberColumn(index), textColumn(index)])];
  const types = ['text[]', 'json[]', ...indexes.flatMap(() => ['float8[]', 'text[]'])];
  const lists = types.map((type, at) => `$${at + 1}::${type}`);
  const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  return (
    `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${lists.join(', ')}) ` +
    `ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')}`
  );
}

export function putParameters(rows: Row[], { indexes }: TableSpec): unknown[][] {
  return [
    rows.map(({ key }) => key),
    rows.map(({ json }) => json),
    ...indexes.flatMap((_, at) => [
      rows.map(({ fields }) => fields[at]![0]),
      rows.map(({ fields }) => fields[at]![1]),
    ]),
  ];
}

/** @throws Error for an unknown index */
export function listStatement(spec: TableSpec, query: ListQuery): { sql: string; values: unknown[] } {
  const { index, equals, from, to, reverse, limit } = query;
  if (index !== undefined && !spec.indexes.includes(index)) {
    throw new Error(`collection ${spec.collection} has no index ${index}`);
  }
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions: string[] = [];
  const bound = (operator: string, limit: string | number | undefined) => {
    if (limit === undefined) return;
    if (typeof limit === 'number') {
      // Keys are texts, so no key lies within a bound that is a number.
      conditions.push(
        index === undefined ? 'false' : `${numberColumn(index)} ${operator} ${parameter(limit)}`,
      );
      return;
    }
    const text = parameter(storedText(limit));
    if (index === undefined) conditions.push(`key ${operator} ${text}`);
    else {
      const column = textColumn(index);
      // The first condition is one that the database's index answers, the second one is exact.
      conditions.push(
        `${prefix(column)} ${operator} ${prefix(`${text}::text`)}`,
        `${column} ${operator} ${text}`,
      );
    }
  };
  if (index !== undefined) conditions.push(hasField(index));
  bound('=', equals);
  bound('>=', from);
  bound('<=', to);
  const direction = reverse ? ' DESC' : '';
  const order = index === undefined ? ['key'] : [...indexOrder(index), textColumn(index), 'key'];
  return {
    sql:
      `SELECT key, doc FROM ${spec.table}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''} ` +
      `ORDER BY ${order.map((column) => column + direction).join(', ')}` +
      (limit === undefined ? '' : ` LIMIT ${parameter(limit)}`),
    values,
  };
}

/** The condition of the rows that an index contains: those whose field is a number or a text. */
export const hasField = (index: string): string =>
  `(${numberColumn(index)} IS NOT NULL OR ${textColumn(index)} IS NOT NULL)`;

/** The columns of the database's index. NULL comes last, so numbers come before texts. */
export const indexOrder = (index: string): string[] => [numberColumn(index), prefix(textColumn(index))];

const prefix = (column: string): string => `left(${column}, ${INDEXED_PREFIX})`;
