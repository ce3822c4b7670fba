import type { Execution } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';

const PIECE = 30;
/** More than these are not kept in the page while runs come in. */
const MOST = 1000;

/** The runs of a workflow, newest first, as they happen. */
export class RunList {
  /** Undefined until it is known. */
  list: Execution[] | undefined;
  /** There are older ones. */
  more = false;
  #cursor: string | null = null;

  constructor(
    private readonly client: WorkflowClient,
    private readonly workflowId: string,
    private readonly changed: () => void,
  ) {}

  async load(): Promise<void> {
    const { data, nextCursor } = await this.client.executions({ workflowId: this.workflowId, limit: PIECE });
    this.list = data;
    this.#cursor = nextCursor;
    this.more = nextCursor !== null;
    this.changed();
  }

  async loadMore(): Promise<void> {
    if (this.#cursor === null) return;
    const { data, nextCursor } = await this.client.executions({
      workflowId: this.workflowId,
      limit: PIECE,
      cursor: this.#cursor,
    });
    const known = new Set(this.list?.map(({ id }) => id));
    this.list = [...(this.list ?? []), ...data.filter(({ id }) => !known.has(id))];
    this.#cursor = nextCursor;
    this.more = nextCursor !== null;
    this.changed();
  }

  onExecution(execution: Execution): void {
    if (!this.list) return;
    const at = this.list.findIndex(({ id }) => id === execution.id);
    this.list = at < 0 ? [execution, ...this.list].slice(0, MOST) : this.list.with(at, execution);
    this.changed();
  }

  async delete(id: string): Promise<void> {
    await this.client.deleteExecution(id);
    this.list = this.list?.filter((one) => one.id !== id);
    this.changed();
  }
}
