/** What happens to workflows and their runs, told to whoever listens (the editor, tests, the CLI). */
import type { Log } from '#core/host';
import type { ExecutionSummary } from '#core/workflow-format';
import type { RunEvent } from './run/run-result.ts';

export type EngineEvent =
  | { type: 'executionStarted'; execution: ExecutionSummary; test: boolean }
  | { type: 'executionProgress'; executionId: string; workflowId: string; test: boolean; event: RunEvent }
  | { type: 'executionWaiting'; execution: ExecutionSummary }
  | { type: 'executionFinished'; execution: ExecutionSummary; test: boolean }
  | { type: 'workflowChanged'; workflowId: string };

export class EngineEvents {
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  readonly #over = new AbortController();

  constructor(private readonly log: Log) {}

  /** The returned function ends it. */
  subscribe(listener: (event: EngineEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Aborts when there will be no more events. */
  get ended(): AbortSignal {
    return this.#over.signal;
  }

  end(): void {
    this.#over.abort();
  }

  /** True when someone would hear it: progress is not even put together otherwise. */
  get hasSubscribers(): boolean {
    return this.#listeners.size > 0;
  }

  send(event: EngineEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.log.error('webhooks: a listener failed', { error: String(error) });
      }
    }
  }
}
