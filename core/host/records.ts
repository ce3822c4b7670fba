/** Small JSON documents in named collections: IndexedDB in the browser, SQLite in Node. */

/** A document: an object that survives JSON. */
export type Doc = { [key: string]: unknown };

/** The collections of a store, and how to bring older documents to their shape. */
export interface RecordsSchema {
  /** Grows by one with every change of shape. A store with a newer version is refused and stays closed. */
  version: number;
  /** The collections, and the top-level fields (string or number) by which `list` can select and order. */
  collections: Record<string, { indexes: string[] }>;
  /**
   * `migrations[n]` brings a document from version n to n + 1; undefined deletes the document. All migrations of an
   * opening run in one transaction.
   */
  migrations: Record<number, (collection: string, key: string, doc: Doc) => Doc | undefined>;
}

/** Selects and orders the documents of a collection. */
export interface ListQuery {
  /** One of the collection's indexed fields. Without it, documents come in the order of their keys. */
  index?: string;
  /** Selects the documents whose indexed field has this value. */
  equals?: string | number;
  /** Inclusive lower bound of the indexed field. */
  from?: string | number;
  /** Inclusive upper bound of the indexed field. */
  to?: string | number;
  /** Whether the order is reversed: from the last document to the first. */
  reverse?: boolean;
  /** The largest number of documents. */
  limit?: number;
}

/** Documents of one kind by their keys. Returned documents are copies, which belong to the caller. */
export interface RecordCollection<T extends object> {
  get(key: string): Promise<T | undefined>;
  put(key: string, doc: T): Promise<void>;
  /** Returns false when there is no such document. */
  delete(key: string): Promise<boolean>;
  list(query?: ListQuery): Promise<{ key: string; doc: T }[]>;
}

/** Puts `doc` under the key, or deletes the document of that key where `doc` is missing. */
export interface RecordChange {
  collection: string;
  key: string;
  doc?: object;
}

/** All collections of an installation. They belong to the host, which closes them. */
export interface Records {
  /** A collection of the schema. Calls with the same name may return different objects over the same data. */
  collection<T extends object>(name: string): RecordCollection<T>;
  /** Makes all changes in one transaction: all of them or none are stored, also when the process dies. */
  write(changes: RecordChange[]): Promise<void>;
  /**
   * A number that is another one after every change of a collection, so that a value of its documents can be cached.
   * Undefined, also as a method: other processes may change the documents, too.
   */
  revision?(collection: string): number | undefined;
}

/** A newer version of tabd wrote the stored records. Opening them with this version could lose data. */
export class NewerRecords extends Error {
  override name = 'NewerRecords';
}

/** The store of the records did not answer in time, or refused the connection. What was asked for may have happened. */
export class RecordsUnavailable extends Error {
  override name = 'RecordsUnavailable';
}
