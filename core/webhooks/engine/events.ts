import type { Cluster, Log } from '#core/host';
import type { ExecutionSummary } from '#core/workflow-format';
import type { WorkflowRunEvent } from './run/run-result.ts';

export type WorkflowEngineEvent =
  | { type: 'executionStarted'; execution: ExecutionSummary; test: boolean }
  | {
      type: 'executionProgress';
      executionId: string;
      workflowId: string;
      test: boolean;
      event: WorkflowRunEvent;
    }
  | { type: 'executionWaiting'; execution: ExecutionSummary }
  | { type: 'executionFinished'; execution: ExecutionSummary; test: boolean }
  | { type: 'workflowChanged'; workflowId: string };

/** The longest JSON of an event for other processes, in characters. Longer ones of nodes are sent without their items. */
const MAX_SHARED = 1024 * 1024;

/** Events of workflows and executions, for the editor, the CLI and tests. In a cluster they reach all processes. */
export class EngineEvents {
  readonly #subscribers = new Set<(event: WorkflowEngineEvent) => void>();
  readonly #end = new AbortController();
  /** Ends the events of other processes. */
  #stopListening: (() => void) | undefined;

  constructor(
    private readonly log: Log,
    private readonly cluster?: Cluster,
  ) {}

  /** @returns a function that ends the subscription */
  subscribe(subscriber: (event: WorkflowEngineEvent) => void): () => void {
    this.#subscribers.add(subscriber);
    this.#stopListening ??= this.cluster?.subscribe((event) => this.#deliver(event as WorkflowEngineEvent));
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size > 0) return;
      this.#stopListening?.();
      this.#stopListening = undefined;
    };
  }

  /** Aborts when no more events follow. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  end(): void {
    this.#end.abort();
  }

  /** Without subscribers, events of progress need not be created. */
  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0 || this.cluster?.isWatched === true;
  }

  send(event: WorkflowEngineEvent): void {
    this.#deliver(event);
    if (this.cluster?.isWatched) this.cluster.publish(withinLimit(event));
  }

  /** An error of one subscriber is logged, and does not affect the others. */
  #deliver(event: WorkflowEngineEvent): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event);
      } catch (error) {
        this.log.error('webhooks: a subscriber failed', { error: String(error) });
      }
    }
  }
}

function withinLimit(event: WorkflowEngineEvent): WorkflowEngineEvent {
  if (event.type !== 'executionProgress' || event.event.type === 'console') return event;
  if (JSON.stringify(event.event.task).length <= MAX_SHARED) return event;
  const { data: _items, ...task } = event.event.task;
  return { ...event, event: { ...event.event, task } };
}
