import { ObservableState } from '../../ui/observable-state.ts';
import type { ExecutionWithData, ServerEvent, TaskData } from '../api-types.ts';
import { ControlApiError, type WorkflowClient } from '../workflow-client.ts';

/** Milliseconds within which several events cause only one load, because nodes can be fast. */
const RELOAD_DELAY = 200;

/** One execution of a node within a run. */
export interface Step {
  node: string;
  /** The number of earlier executions of the node in this run. */
  runIndex: number;
  task: TaskData;
}

/** The state of the page of a run. */
export class RunPageState extends ObservableState {
  run: ExecutionWithData | undefined;
  missing = false;
  busy = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly client: WorkflowClient,
    readonly id: string,
  ) {
    super();
  }

  get steps(): Step[] {
    return stepsOf(this.run);
  }

  async load(): Promise<void> {
    await this.attempt(async () => {
      try {
        this.run = await this.client.execution(this.id);
        this.missing = false;
      } catch (error) {
        if (!(error instanceof ControlApiError && error.status === 404)) throw error;
        this.missing = true;
      }
    });
  }

  onEvent({ data, type }: ServerEvent): void {
    if (data.executionId !== this.id || type === 'sendConsoleMessage') return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.load();
    }, RELOAD_DELAY);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Runs again with the same data. Resolves to the new run's id, or undefined when it failed. */
  replay(): Promise<string | undefined> {
    return this.#whileBusy(() => this.client.replay(this.id));
  }

  retry(now: boolean): Promise<string | undefined> {
    return this.#whileBusy(async () => (await this.client.retry(this.id, now)).id);
  }

  async stop(): Promise<void> {
    await this.#whileBusy(() => this.client.stopExecution(this.id));
    await this.load();
  }

  /** Deletes the run. Resolves to false when that failed. */
  async delete(): Promise<boolean> {
    return (await this.#whileBusy(() => this.client.deleteExecution(this.id).then(() => true))) === true;
  }

  async #whileBusy<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.busy = true;
    this.changed();
    const done = await this.attempt(work);
    this.busy = false;
    this.changed();
    return done;
  }
}

/** The executions of nodes in a run, in order. */
export function stepsOf(run: ExecutionWithData | undefined): Step[] {
  return Object.entries(run?.data?.resultData.runData ?? {})
    .flatMap(([node, tasks]) => tasks.map((task, runIndex) => ({ node, runIndex, task })))
    .sort((a, b) => a.task.executionIndex - b.task.executionIndex);
}
