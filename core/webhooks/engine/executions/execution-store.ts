/** The two collections of execution records: small summaries, and details with all items. */
import type { Cluster, ListQuery, RecordChange, RecordCollection, Records } from '#core/host';
import type { ExecutionDetail, ExecutionSummary } from '#core/workflow-format';

export function isFinished({ status }: ExecutionSummary): boolean {
  return status !== 'new' && status !== 'running' && status !== 'waiting';
}

const SUMMARIES = 'executions';
const DETAILS = 'executionData';
/** Where the number of a deleted execution is remembered, if it was the highest. */
const MARKS = 'nodeStorage';
const HIGHEST_DELETED = 'executions highestDeleted';

export class ExecutionStore {
  readonly #summaries: RecordCollection<ExecutionSummary>;
  readonly #details: RecordCollection<ExecutionDetail>;
  readonly #marks: RecordCollection<{ number: number }>;
  #lastNumber: Promise<number> | undefined;

  constructor(
    private readonly records: Records,
    private readonly cluster?: Cluster,
  ) {
    this.#summaries = records.collection(SUMMARIES);
    this.#details = records.collection(DETAILS);
    this.#marks = records.collection(MARKS);
  }

  /** The number of a new execution: one more than the highest ever. Signed addresses contain it, so it is never reused. */
  nextNumber(): Promise<number> {
    if (this.cluster) return this.#sharedNumber(this.cluster);
    this.#lastNumber = (this.#lastNumber ?? this.#highestNumber()).then((last) => last + 1);
    return this.#lastNumber;
  }

  async #sharedNumber(cluster: Cluster): Promise<number> {
    this.#lastNumber ??= this.#highestNumber();
    return cluster.nextNumber(SUMMARIES, (await this.#lastNumber) + 1);
  }

  async #highestNumber(): Promise<number> {
    const [stored, deleted] = await Promise.all([this.#highestStored(), this.#marks.get(HIGHEST_DELETED)]);
    return Math.max(stored, deleted?.number ?? 0);
  }

  async #highestStored(): Promise<number> {
    const [newest] = await this.#summaries.list({ index: 'number', reverse: true, limit: 1 });
    return newest?.doc.number ?? 0;
  }

  /** Writes both records and the other changes, or none of them, even if the process ends meanwhile. */
  put(summary: ExecutionSummary, detail: ExecutionDetail, others: RecordChange[] = []): Promise<void> {
    const { id: key } = summary;
    return this.records.write([
      ...others,
      { collection: DETAILS, key, doc: detail },
      { collection: SUMMARIES, key, doc: summary },
    ]);
  }

  putSummary(summary: ExecutionSummary): Promise<void> {
    return this.#summaries.put(summary.id, summary);
  }

  putDetail(id: string, detail: ExecutionDetail): Promise<void> {
    return this.#details.put(id, detail);
  }

  summary(id: string): Promise<ExecutionSummary | undefined> {
    return this.#summaries.get(id);
  }

  detail(id: string): Promise<ExecutionDetail | undefined> {
    return this.#details.get(id);
  }

  async list(query: ListQuery): Promise<ExecutionSummary[]> {
    return (await this.#summaries.list(query)).map(({ doc }) => doc);
  }

  /** How many finished executions are on record. */
  async count(): Promise<number> {
    return (await this.#summaries.list()).filter(({ doc }) => isFinished(doc)).length;
  }

  /** @returns false if there was no record */
  async delete(key: string): Promise<boolean> {
    const [summary, highest] = await Promise.all([this.#summaries.get(key), this.#highestStored()]);
    const changes: RecordChange[] = [
      { collection: DETAILS, key },
      { collection: SUMMARIES, key },
    ];
    if (summary?.number === highest && highest > ((await this.#marks.get(HIGHEST_DELETED))?.number ?? 0))
      changes.push({ collection: MARKS, key: HIGHEST_DELETED, doc: { number: highest } });
    await this.records.write(changes);
    return summary !== undefined;
  }
}
