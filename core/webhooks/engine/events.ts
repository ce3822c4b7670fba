import type { Log } from '#core/host';
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

/** Events of workflows and executions, for the editor, the CLI and tests. */
export class EngineEvents {
  readonly #subscribers = new Set<(event: WorkflowEngineEvent) => void>();
  readonly #end = new AbortController();

  constructor(private readonly log: Log) {}

  /** @returns a function that ends the subscription */
  subscribe(subscriber: (event: WorkflowEngineEvent) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
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
    return this.#subscribers.size > 0;
  }

  /** An error of one subscriber is logged, and does not affect the others. */
  send(event: WorkflowEngineEvent): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event);
      } catch (error) {
        this.log.error('webhooks: a subscriber failed', { error: String(error) });
      }
    }
  }
}
