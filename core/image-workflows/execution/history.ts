/** Finished prompts, in the order in which they were first finished; kept over restarts. */
import type { Change, Collection, Records } from '#core/host';

/** Times and counts for lists; the entry itself as the JSON that clients get. */
export interface HistoryRecord {
  /** Rises with every new entry. */
  position: number;
  entryJson: string;
  job: HistoryJob;
}

export interface HistoryJob {
  status: 'completed' | 'failed';
  priority: number;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
}

const NAME = 'promptHistory';
/** Beyond so many the oldest go. */
const LIMIT = 10_000;

export class History {
  readonly #collection: Collection<HistoryRecord>;
  readonly #entries = new Map<string, HistoryRecord>();
  #next = 1;
  constructor(private readonly records: Records) {
    this.#collection = records.collection(NAME);
  }

  async load(): Promise<void> {
    for (const { key, doc } of await this.#collection.list({ index: 'position' })) {
      this.#entries.set(key, doc);
      this.#next = doc.position + 1;
    }
  }

  get(id: string): HistoryRecord | undefined {
    return this.#entries.get(id);
  }

  /** Oldest first. Without `offset`, `max` counts from the newest. */
  list({ max, offset }: { max?: number; offset?: number } = {}): [id: string, record: HistoryRecord][] {
    const all = [...this.#entries];
    if (max !== undefined && max <= 0) return [];
    const start = offset ?? (max === undefined ? 0 : all.length - max);
    const from = Math.max(0, start);
    return all.slice(from, max === undefined ? undefined : from + max);
  }

  /** Replaces an entry of the same id where it stands. `changes` are made with it, or not at all. */
  async put(id: string, entryJson: string, job: HistoryJob, ...changes: Change[]): Promise<void> {
    const record = { position: this.#entries.get(id)?.position ?? this.#next++, entryJson, job };
    this.#entries.set(id, record);
    await this.records.write([{ collection: NAME, key: id, doc: record }, ...changes]);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= LIMIT) break;
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
