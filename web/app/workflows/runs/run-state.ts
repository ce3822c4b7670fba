import { ObservableState } from '../../ui/observable-state.ts';
import type { ExecutionDetail, ServerEvent, TaskData } from '../api-types.ts';
import { ControlFailure, type WorkflowClient } from '../workflow-client.ts';

/** Milliseconds in which what happens is taken together: nodes can be fast. */
const PAUSE = 200;

/** One run of one node, in the order in which they happened. */
export interface Step {
  node: string;
  /** How often the node had run before. */
  turn: number;
  task: TaskData;
}

/** A run that is looked at. */
export class RunState extends ObservableState {
  run: ExecutionDetail | undefined;
  gone = false;
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
        this.gone = false;
      } catch (error) {
        if (!(error instanceof ControlFailure && error.status === 404)) throw error;
        this.gone = true;
      }
    });
  }

  onEvent({ data, type }: ServerEvent): void {
    if (data.executionId !== this.id || type === 'sendConsoleMessage') return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.load();
    }, PAUSE);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Each gives the id of the new run, or undefined where it failed. */
  replay(): Promise<string | undefined> {
    return this.#work(() => this.client.replay(this.id));
  }

  retry(now: boolean): Promise<string | undefined> {
    return this.#work(async () => (await this.client.retry(this.id, now)).id);
  }

  async stop(): Promise<void> {
    await this.#work(() => this.client.stopExecution(this.id));
    await this.load();
  }

  /** False when it failed. */
  async delete(): Promise<boolean> {
    return (await this.#work(() => this.client.deleteExecution(this.id).then(() => true))) === true;
  }

  async #work<T>(work: () => Promise<T>): Promise<T | undefined> {
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
    .flatMap(([node, tasks]) => tasks.map((task, turn) => ({ node, turn, task })))
    .sort((a, b) => a.task.executionIndex - b.task.executionIndex);
}
