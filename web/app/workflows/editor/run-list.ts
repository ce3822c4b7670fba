import type { Execution } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';

const PAGE_SIZE = 30;
/** The most runs that the page keeps. */
const MAX_RUNS = 1000;

/** The runs of a workflow, newest first, updated live. */
export class WorkflowRunList {
  /** The loaded runs. Undefined until they are loaded. */
  list: Execution[] | undefined;
  /** Whether the server has older runs. */
  hasMore = false;
  #cursor: string | null = null;

  constructor(
    private readonly client: WorkflowClient,
    private readonly workflowId: string,
    private readonly changed: () => void,
  ) {}

  async load(): Promise<void> {
    const { data, nextCursor } = await this.client.executions({
      workflowId: this.workflowId,
      limit: PAGE_SIZE,
    });
    this.list = data;
    this.#cursor = nextCursor;
    this.hasMore = nextCursor !== null;
    this.changed();
  }

  async loadMore(): Promise<void> {
    if (this.#cursor === null) return;
    const { data, nextCursor } = await this.client.executions({
      workflowId: this.workflowId,
      limit: PAGE_SIZE,
      cursor: this.#cursor,
    });
    const listedIds = new Set(this.list?.map(({ id }) => id));
    this.list = [...(this.list ?? []), ...data.filter(({ id }) => !listedIds.has(id))];
    this.#cursor = nextCursor;
    this.hasMore = nextCursor !== null;
    this.changed();
  }

  onExecution(execution: Execution): void {
    if (!this.list) return;
    const at = this.list.findIndex(({ id }) => id === execution.id);
    this.list = at < 0 ? [execution, ...this.list].slice(0, MAX_RUNS) : this.list.with(at, execution);
    this.changed();
  }

  async delete(id: string): Promise<void> {
    await this.client.deleteExecution(id);
    this.list = this.list?.filter((run) => run.id !== id);
    this.changed();
  }
}
