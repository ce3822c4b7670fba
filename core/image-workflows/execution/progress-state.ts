import type { PromptNodeId } from '../graph/graph.ts';

interface NodeProgress {
  value: number;
  max: number;
  state: 'running' | 'finished';
}

/** With more started nodes, messages become rarer, because each message lists all of them. */
const MANY_NODES = 100;
/** Milliseconds between two messages, for each started node. */
const PAUSE_PER_NODE = 0.3;

/** The progress of each started node of one prompt, as `progress_state` reports it. */
export class ProgressState {
  readonly #nodes = new Map<PromptNodeId, NodeProgress>();
  #lastMessageAt = 0;
  constructor(
    private readonly promptId: string,
    private readonly now: () => number,
  ) {}

  set(id: PromptNodeId, progress: NodeProgress): void {
    this.#nodes.set(id, progress);
  }

  /** The node ends at the maximum that it last reported. */
  finish(id: PromptNodeId): void {
    const max = this.#nodes.get(id)?.max ?? 1;
    this.#nodes.set(id, { value: max, max, state: 'finished' });
  }

  /** The data of the next message. Undefined: it is too early for one. */
  message(): Record<string, unknown> | undefined {
    const now = this.now();
    const count = this.#nodes.size;
    if (count > MANY_NODES && now - this.#lastMessageAt < count * PAUSE_PER_NODE) return undefined;
    this.#lastMessageAt = now;
    const nodes = new Map([...this.#nodes].map(([id, progress]) => [id, this.#describe(id, progress)]));
    return { prompt_id: this.promptId, nodes };
  }

  #describe(id: PromptNodeId, { value, max, state }: NodeProgress): Record<string, unknown> {
    return {
      value,
      max,
      state,
      node_id: id,
      prompt_id: this.promptId,
      display_node_id: id,
      parent_node_id: null,
      real_node_id: id,
    };
  }
}
