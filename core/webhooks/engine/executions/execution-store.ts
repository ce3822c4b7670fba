/** Runs on record. */
import type { ListQuery, RecordCollection, Records } from '#core/host';
import type { ExecutionDetail, ExecutionSummary } from '#core/workflow-format';

/** Nothing of it happens any more. */
export function isOver({ status }: ExecutionSummary): boolean {
  return status !== 'new' && status !== 'running' && status !== 'waiting';
}

const SUMMARIES = 'executions';
const DETAILS = 'executionData';

export class ExecutionStore {
  readonly #summaries: RecordCollection<ExecutionSummary>;
  readonly #details: RecordCollection<ExecutionDetail>;
  #last: Promise<number> | undefined;

  constructor(private readonly records: Records) {
    this.#summaries = records.collection(SUMMARIES);
    this.#details = records.collection(DETAILS);
  }

  /** The number of a new run: one more than any before. */
  nextNumber(): Promise<number> {
    this.#last = (this.#last ?? this.#newest()).then((last) => last + 1);
    return this.#last;
  }

  async #newest(): Promise<number> {
    const [newest] = await this.#summaries.list({ index: 'number', reverse: true, limit: 1 });
    return newest?.doc.number ?? 0;
  }

  /** Both or neither is on record when the process dies meanwhile. */
  put(summary: ExecutionSummary, detail: ExecutionDetail): Promise<void> {
    const { id: key } = summary;
    return this.records.write([
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

  /** Of runs that are over. */
  async count(): Promise<number> {
    return (await this.#summaries.list()).filter(({ doc }) => isOver(doc)).length;
  }

  async delete(key: string): Promise<boolean> {
    const there = (await this.#summaries.get(key)) !== undefined;
    await this.records.write([
      { collection: DETAILS, key },
      { collection: SUMMARIES, key },
    ]);
    return there;
  }
}
