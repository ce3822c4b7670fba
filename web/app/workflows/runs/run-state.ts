import { ObservableState } from '../../ui/observable-state.ts';
import type { ExecutionDetail, ServerEvent, TaskData } from '../api-types.ts';
import { ControlApiError, type WorkflowClient } from '../workflow-client.ts';

/** Milliseconds in which what happens is taken together: nodes can be fast. */
const RELOAD_DELAY = 200;

/** One run of one node, in the order in which they happened. */
export interface Step {
  node: string;
  /** How often the node had run before. */
  runIndex: number;
  task: TaskData;
}

/** A run that is looked at. */
export class RunState extends ObservableState {
  run: ExecutionDetail | undefined;
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

  /** Each gives the id of the new run, or undefined where it failed. */
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

  /** False when it failed. */
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

export function stepsOf(run: ExecutionDetail | undefined): Step[] {
  return Object.entries(run?.data?.resultData.runData ?? {})
    .flatMap(([node, tasks]) => tasks.map((task, runIndex) => ({ node, runIndex, task })))
    .sort((a, b) => a.task.executionIndex - b.task.executionIndex);
}
