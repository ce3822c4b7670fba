/** Small JSON documents in named collections: idb in the browser, SQLite in WAL mode in Node. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A document: anything that survives JSON. */
export type Doc = { [key: string]: unknown };

/** What a platform needs to open the records: the same schema on every platform, owned by `core/host/records-schema.ts`. */
export interface RecordsSchema {
  /** Grows by one with every change of shape. A store with a newer version than this is refused, not opened. */
  version: number;
  /** Collection name -> the top-level fields (string or number) that `list` may select and order by. */
  collections: Record<string, { indexes: string[] }>;
  /** `migrations[n]` brings a document from version n to n + 1; returning undefined drops it. Runs in one transaction. */
  migrations: Record<number, (collection: string, key: string, doc: Doc) => Doc | undefined>;
}

export interface ListQuery {
  /** One of the collection's indexed fields; without it documents come in key order. */
  index?: string;
  equals?: string | number;
  /** Inclusive bounds on the index. */
  from?: string | number;
  to?: string | number;
  reverse?: boolean;
  limit?: number;
}

export interface RecordCollection<T extends object> {
  get(key: string): Promise<T | undefined>;
  put(key: string, doc: T): Promise<void>;
  /** True when there was one. */
  delete(key: string): Promise<boolean>;
  list(query?: ListQuery): Promise<{ key: string; doc: T }[]>;
}

/** A document that is put, or deleted where there is none given. */
export interface RecordChange {
  collection: string;
  key: string;
  doc?: object;
}

export interface Records {
  collection<T extends object>(name: string): RecordCollection<T>;
  /** Makes all of the changes or none, whatever happens meanwhile. */
  write(changes: RecordChange[]): Promise<void>;
}
