import type { RecordChange, RecordCollection, Records } from '#core/host';

/** One finished prompt as it is stored. */
export interface HistoryRecord {
  /** Rises with every new entry. */
  position: number;
  /** The entry as clients receive it. */
  entryJson: string;
  /** The values by which job lists are sorted and filtered. */
  job: HistoryJob;
}

/** Times are milliseconds since 1970. */
export interface HistoryJob {
  status: 'completed' | 'failed';
  priority: number;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
}

const COLLECTION = 'promptHistory';
const MAX_ENTRIES = 10_000;

/** Finished prompts in the order in which they first finished. Beyond `MAX_ENTRIES` the oldest are deleted. */
export class History {
  readonly #collection: RecordCollection<HistoryRecord>;
  readonly #entries = new Map<string, HistoryRecord>();
  #nextPosition = 1;
  constructor(private readonly records: Records) {
    this.#collection = records.collection(COLLECTION);
  }

  /** Reads the stored entries. Called once, before anything else. */
  async load(): Promise<void> {
    for (const { key, doc } of await this.#collection.list({ index: 'position' })) {
      this.#entries.set(key, doc);
      this.#nextPosition = doc.position + 1;
    }
  }

  get(id: string): HistoryRecord | undefined {
    return this.#entries.get(id);
  }

  /**
   * Entries from the oldest to the newest.
   * @param range `offset` counts from the oldest; without it `max` takes the newest ones
   */
  list({ max, offset }: { max?: number; offset?: number } = {}): [id: string, record: HistoryRecord][] {
    const all = [...this.#entries];
    if (max !== undefined && max <= 0) return [];
    const start = Math.max(0, offset ?? (max === undefined ? 0 : all.length - max));
    return all.slice(start, max === undefined ? undefined : start + max);
  }

  /** Stores an entry together with `changes`: all or nothing. An entry of the same id is replaced in its position. */
  async put(id: string, entryJson: string, job: HistoryJob, ...changes: RecordChange[]): Promise<void> {
    const position = this.#entries.get(id)?.position ?? this.#nextPosition++;
    const record = { position, entryJson, job };
    this.#entries.set(id, record);
    await this.records.write([{ collection: COLLECTION, key: id, doc: record }, ...changes]);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      await this.delete(oldest);
    }
  }

  async delete(id: string): Promise<void> {
    if (this.#entries.delete(id)) await this.#collection.delete(id);
  }

  async clear(): Promise<void> {
    const ids = [...this.#entries.keys()];
    this.#entries.clear();
    for (const id of ids) await this.#collection.delete(id);
  }
}
