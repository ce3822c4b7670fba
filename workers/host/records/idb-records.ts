import { type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import {
  type Doc,
  type ListQuery,
  NewerRecords,
  type RecordChange,
  type RecordCollection,
  type Records,
  type RecordsSchema,
} from '#core/host';
import { storageError } from '../blobs/storage-full.ts';

export interface IdbOptions {
  /** The name of the database. Each scope of tabd has its own. */
  name: string;
  schema: RecordsSchema;
  /** Milliseconds that tabs with an older version have to close the database. Default: 10,000. */
  blockedTimeout?: number;
}

/** Records in IndexedDB. */
export class IdbRecords implements Records {
  /** Why the database is closed. */
  #closeReason: string | undefined;

  private constructor(
    private readonly db: IDBPDatabase,
    private readonly schema: RecordsSchema,
  ) {}

  /**
   * Opens the database, and creates or migrates it in one transaction: a migration that fails changes nothing. Rejects with
   * `NewerRecords`, or when another tab keeps an older version open.
   */
  static async open({ name, schema, blockedTimeout: timeout = 10_000 }: IdbOptions): Promise<IdbRecords> {
    let failure: unknown;
    let records: IdbRecords | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const blocked = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new Error(
            'the data of tabd are held by another tab with an older version: close the other tabs of this site, then reload',
          ),
        );
      }, timeout);
    });
    const opening = openDB(name, schema.version, {
      upgrade(db, from, _to, transaction) {
        // `openDB` reports the error.
        transaction.done.catch(() => {});
        // `idb` does not wait for this promise. The transaction stays open while it has requests.
        migrate(db, transaction, schema, from).catch((error: unknown) => {
          failure = error;
          transaction.abort();
        });
      },
      blocking: () => {
        records?.close('a newer version of tabd took over its data in another tab: reload this tab');
      },
      terminated: () => {
        if (records) records.#closeReason = 'the browser closed the data of this site: reload this tab';
      },
    });
    try {
      const db = await Promise.race([opening, blocked]);
      records = new IdbRecords(db, schema);
      return records;
    } catch (error) {
      opening.then(
        (db) => db.close(),
        () => {},
      );
      if (failure) throw failure;
      if (error instanceof DOMException && error.name === 'VersionError') {
        throw new NewerRecords(
          `the data of this site were written by a newer version of tabd (this one knows version ${schema.version}): reload the page to get it`,
        );
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  collection<T extends object>(name: string): RecordCollection<T> {
    const definition = this.schema.collections[name];
    if (!definition) throw new Error(`unknown collection ${name}`);
    return new IdbCollection<T>(name, definition.indexes, () => this.#open());
  }

  async write(changes: RecordChange[]): Promise<void> {
    const steps = changes.map(({ collection, key, doc }) => {
      if (!this.schema.collections[collection]) throw new Error(`unknown collection ${collection}`);
      return { collection, key, copy: doc && asJson(doc) };
    });
    if (steps.length === 0) return;
    const names = [...new Set(steps.map(({ collection }) => collection))];
    const transaction = this.#open().transaction(names, 'readwrite');
    const requests: Promise<unknown>[] = [transaction.done];
    try {
      for (const { collection, key, copy } of steps) {
        const store = transaction.objectStore(collection);
        requests.push(copy ? store.put(copy, key) : store.delete(key));
      }
      await Promise.all(requests);
    } catch (error) {
      for (const request of requests) request.catch(() => {});
      // A put that throws, instead of failing later, leaves the transaction with the puts before it.
      abort(transaction);
      throw storageError(error);
    }
  }

  #open(): IDBPDatabase {
    if (this.#closeReason) throw new Error(this.#closeReason);
    return this.db;
  }

  close(reason = 'the records are closed'): void {
    this.#closeReason ??= reason;
    this.db.close();
  }
}

class IdbCollection<T extends object> implements RecordCollection<T> {
  constructor(
    private readonly name: string,
    private readonly indexes: string[],
    private readonly db: () => IDBPDatabase,
  ) {}

  async get(key: string): Promise<T | undefined> {
    return (await this.db().get(this.name, key)) as T | undefined;
  }

  async put(key: string, doc: T): Promise<void> {
    try {
      await this.db().put(this.name, asJson(doc), key);
    } catch (error) {
      throw storageError(error);
    }
  }

  async delete(key: string): Promise<boolean> {
    const transaction = this.db().transaction(this.name, 'readwrite');
    const [count] = await Promise.all([
      transaction.store.count(key),
      transaction.store.delete(key),
      transaction.done,
    ]);
    return count > 0;
  }

  async list(query: ListQuery = {}): Promise<{ key: string; doc: T }[]> {
    if (query.index !== undefined && !this.indexes.includes(query.index)) {
      throw new Error(`collection ${this.name} has no index ${query.index}`);
    }
    const { store } = this.db().transaction(this.name);
    const source = query.index === undefined ? store : store.index(query.index);
    const entries: { key: string; doc: T }[] = [];
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const range = rangeOf(query);
    if (range !== 'nothing' && limit > 0) {
      let cursor = await source.openCursor(range, query.reverse ? 'prev' : 'next');
      while (cursor && entries.length < limit) {
        entries.push({ key: cursor.primaryKey as string, doc: cursor.value as T });
        cursor = await cursor.continue();
      }
    }
    return entries;
  }
}

/** Undoes a transaction, unless it has ended. */
function abort(transaction: IDBPTransaction<unknown, string[], 'readwrite'>): void {
  try {
    transaction.abort();
  } catch {
    // It has ended.
  }
}

/** Converts the document to JSON and back, so that it has the same content in every store: no `undefined`, no dates. */
const asJson = (doc: object): object => JSON.parse(JSON.stringify(doc));

/** The range of keys for a query. A number as a bound selects only numbers, and a string only strings. */
function rangeOf({ equals, from, to }: ListQuery): IDBKeyRange | undefined | 'nothing' {
  if (equals !== undefined) {
    const isInRange =
      (from === undefined || (typeof from === typeof equals && from <= equals)) &&
      (to === undefined || (typeof to === typeof equals && equals <= to));
    return isInRange ? IDBKeyRange.only(equals) : 'nothing';
  }
  if (from === undefined && to === undefined) return undefined;
  if (from !== undefined && to !== undefined) {
    if (typeof from !== typeof to || from > to) return 'nothing';
    return IDBKeyRange.bound(from, to);
  }
  const isNumber = typeof (from ?? to) === 'number';
  if (from !== undefined) {
    // IndexedDB orders numbers before dates, dates before strings, and strings before arrays.
    return isNumber
      ? IDBKeyRange.bound(from, Number.POSITIVE_INFINITY)
      : IDBKeyRange.bound(from, [], false, true);
  }
  return isNumber ? IDBKeyRange.bound(Number.NEGATIVE_INFINITY, to) : IDBKeyRange.bound('', to);
}

async function migrate(
  db: IDBPDatabase,
  transaction: IDBPTransaction<unknown, string[], 'versionchange'>,
  schema: RecordsSchema,
  from: number,
): Promise<void> {
  for (const [name, { indexes }] of Object.entries(schema.collections)) {
    const store = db.objectStoreNames.contains(name)
      ? transaction.objectStore(name)
      : db.createObjectStore(name);
    for (const index of indexes) {
      if (!store.indexNames.contains(index)) store.createIndex(index, index);
    }
    for (const index of store.indexNames) {
      if (!indexes.includes(index)) store.deleteIndex(index);
    }
  }
  // A new database has nothing to migrate.
  if (from > 0) {
    for (const name of Object.keys(schema.collections)) {
      let cursor = await transaction.objectStore(name).openCursor();
      while (cursor) {
        const before = cursor.value as Doc;
        const after = upgrade(schema, from, name, cursor.key as string, before);
        if (after === undefined) await cursor.delete();
        else if (after !== before) await cursor.update(JSON.parse(JSON.stringify(after)));
        cursor = await cursor.continue();
      }
    }
  }
  for (const name of db.objectStoreNames) {
    if (!Object.hasOwn(schema.collections, name)) db.deleteObjectStore(name);
  }
}

function upgrade(
  { version, migrations }: RecordsSchema,
  from: number,
  collection: string,
  key: string,
  doc: Doc,
): Doc | undefined {
  let current: Doc | undefined = doc;
  for (let step = from; step < version && current !== undefined; step++) {
    const migration = migrations[step];
    if (migration) current = migration(collection, key, current);
  }
  return current;
}
