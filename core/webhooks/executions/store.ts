/** Runs on record. */
import type { Collection, ListQuery, Records } from '../../host/records.ts';
import type { ExecutionDetail, ExecutionSummary } from './types.ts';

/** Nothing of it happens any more. */
export function isOver({ status }: ExecutionSummary): boolean {
  return status !== 'new' && status !== 'running' && status !== 'waiting';
}

export class ExecutionStore {
  readonly #summaries: Collection<ExecutionSummary>;
  readonly #details: Collection<ExecutionDetail>;
  #last: Promise<number> | undefined;

  constructor(records: Records) {
    this.#summaries = records.collection('executions');
    this.#details = records.collection('executionData');
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

  async delete(id: string): Promise<boolean> {
    await this.#details.delete(id);
    return this.#summaries.delete(id);
  }
}
