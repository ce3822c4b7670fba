/** Records in memory with the semantics of the real stores: documents are copied in and out as JSON. */
import type { ListQuery, RecordChange, RecordCollection, Records, RecordsSchema } from '#core/host';

const copy = <T>(doc: T): T => JSON.parse(JSON.stringify(doc)) as T;

type Key = string | number;

/** As IndexedDB orders keys: numbers before strings, strings by code units. */
function compare(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

class MemoryCollection<T extends object> implements RecordCollection<T> {
  readonly #docs = new Map<string, T>();
  /** Grows with every change. */
  revision = 0;

  constructor(
    readonly name: string,
    readonly indexes: string[] | undefined,
  ) {}

  async get(key: string): Promise<T | undefined> {
    const doc = this.#docs.get(key);
    return doc && copy(doc);
  }

  async put(key: string, doc: T): Promise<void> {
    this.#docs.set(key, copy(doc));
    this.revision++;
  }

  async delete(key: string): Promise<boolean> {
    this.revision++;
    return this.#docs.delete(key);
  }

  async list(query: ListQuery = {}): Promise<{ key: string; doc: T }[]> {
    const { index, equals, from, to, reverse, limit } = query;
    if (index !== undefined && this.indexes && !this.indexes.includes(index)) {
      throw new Error(`collection ${this.name} has no index ${index}`);
    }
    const rows = [...this.#docs].flatMap(([key, doc]) => {
      const value = index === undefined ? key : (doc as Record<string, unknown>)[index];
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      if (equals !== undefined && value !== equals) return [];
      if (from !== undefined && (typeof from !== typeof value || compare(value, from) < 0)) return [];
      if (to !== undefined && (typeof to !== typeof value || compare(value, to) > 0)) return [];
      return [{ value, key, doc }];
    });
    rows.sort((a, b) => compare(a.value, b.value) || compare(a.key, b.key));
    if (reverse) rows.reverse();
    return rows.slice(0, limit).map(({ key, doc }) => ({ key, doc: copy(doc) }));
  }
}

export class MemoryRecords implements Records {
  // biome-ignore lint/suspicious/noExplicitAny: each collection has its own document type
  readonly #collections = new Map<string, MemoryCollection<any>>();

  /** With a schema, unknown collections and indexes are refused, as in the real stores. */
  constructor(readonly schema?: RecordsSchema) {}

  revision(collection: string): number {
    return this.#collection(collection).revision;
  }

  collection<T extends object>(name: string): RecordCollection<T> {
    return this.#collection<T>(name);
  }

  #collection<T extends object>(name: string): MemoryCollection<T> {
    const collectionSchema = this.schema?.collections[name];
    if (this.schema && !collectionSchema) throw new Error(`unknown collection ${name}`);
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new MemoryCollection<T>(name, collectionSchema?.indexes);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  async write(changes: RecordChange[]): Promise<void> {
    const steps = changes.map(({ collection, key, doc }) => {
      const target = this.collection(collection);
      const document = doc && copy(doc);
      return () => (document ? target.put(key, document) : target.delete(key));
    });
    await Promise.all(steps.map((step) => step()));
  }
}
