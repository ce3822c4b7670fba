import type { NodeId } from '../graph/graph.ts';

interface NodeProgress {
  value: number;
  max: number;
  state: 'running' | 'finished';
}

/** Graphs of more started nodes than this are told of less often: each message names all of them. */
const MANY = 100;
/** Milliseconds a started node. */
const PAUSE = 0.3;

/** How far each started node of one prompt is. */
export class ProgressState {
  readonly #nodes = new Map<NodeId, NodeProgress>();
  #told = 0;
  constructor(
    private readonly promptId: string,
    private readonly now: () => number,
  ) {}

  set(id: NodeId, progress: NodeProgress): void {
    this.#nodes.set(id, progress);
  }

  /** As far as it was said to go. */
  finish(id: NodeId): void {
    const max = this.#nodes.get(id)?.max ?? 1;
    this.#nodes.set(id, { value: max, max, state: 'finished' });
  }

  /** The data of `progress_state`, or undefined when it can wait for the next one. */
  message(): Record<string, unknown> | undefined {
    const now = this.now();
    if (this.#nodes.size > MANY && now - this.#told < this.#nodes.size * PAUSE) return undefined;
    this.#told = now;
    const nodes = new Map(
      [...this.#nodes].map(([id, { value, max, state }]) => [
        id,
        {
          value,
          max,
          state,
          node_id: id,
          prompt_id: this.promptId,
          display_node_id: id,
          parent_node_id: null,
          real_node_id: id,
        },
      ]),
    );
    return { prompt_id: this.promptId, nodes };
  }
}
