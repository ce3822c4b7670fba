import { inputsOf, linksOf, type PromptGraph, type PromptNodeId } from '../graph/graph.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';

/** The remaining nodes depend on one another, so that none can run. */
export class DependencyCycle extends Error {
  override name = 'graph.DependencyCycleError';
  constructor() {
    super('Dependency cycle detected');
  }
}

/** Decides which node of a graph runs next. */
export class NodeSchedule {
  /** The unfinished sources of each node that is to run, in the order of the walk. */
  readonly #sources = new Map<PromptNodeId, Set<PromptNodeId>>();
  readonly #consumers = new Map<PromptNodeId, Set<PromptNodeId>>();
  /** Nodes without unfinished sources. */
  readonly #ready = new Set<PromptNodeId>();
  readonly #ranks = new Map<PromptNodeId, number>();
  /** The order in which the walk reached the nodes. Among nodes of one rank the earlier one runs first. */
  readonly #walkOrder = new Map<PromptNodeId, number>();

  /** @param isDone the node has a result already, so its sources need not run */
  constructor(
    private readonly graph: PromptGraph,
    private readonly typeOf: (id: PromptNodeId) => AnyNode,
    private readonly isDone: (id: PromptNodeId) => boolean,
  ) {}

  get isEmpty(): boolean {
    return this.#sources.size === 0;
  }

  /** Adds a node with all of its sources. Sources of lazy inputs stay out until `addSource`. */
  add(start: PromptNodeId): void {
    const stack = [start];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (this.#sources.has(id)) continue;
      this.#sources.set(id, new Set());
      this.#walkOrder.set(id, this.#walkOrder.size);
      const node = this.graph.get(id)!;
      const inputs = inputsOf(node, this.typeOf(id));
      for (const [name, { node: source }] of linksOf(node)) {
        if (inputs[name] === undefined || inputs[name].lazy) continue;
        if (this.#connect(id, source)) stack.push(source);
      }
      if (this.#sources.get(id)!.size === 0) this.#ready.add(id);
    }
  }

  /** A lazy input turned out to be needed: the node waits for its source. */
  addSource(id: PromptNodeId, source: PromptNodeId): void {
    if (!this.#connect(id, source)) return;
    this.#ready.delete(id);
    this.add(source);
  }

  /**
   * The node to run next: output nodes first, then their sources, then the sources of those.
   * @throws `DependencyCycle`
   */
  next(): PromptNodeId {
    let best: PromptNodeId | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    let bestOrder = Number.POSITIVE_INFINITY;
    for (const id of this.#ready) {
      const rank = this.#ranks.get(id) ?? this.#rank(id);
      this.#ranks.set(id, rank);
      const order = this.#walkOrder.get(id)!;
      if (rank < bestRank || (rank === bestRank && order < bestOrder))
        [best, bestRank, bestOrder] = [id, rank, order];
    }
    if (best === undefined) throw new DependencyCycle();
    return best;
  }

  /** Removes a finished node, so that its consumers may run. */
  finish(id: PromptNodeId): void {
    this.#sources.delete(id);
    this.#ready.delete(id);
    for (const consumer of this.#consumers.get(id) ?? []) {
      const sources = this.#sources.get(consumer);
      if (sources?.delete(id) && sources.size === 0) this.#ready.add(consumer);
    }
    this.#consumers.delete(id);
  }

  /** Makes a node wait for a source. Returns false when the source is done. */
  #connect(id: PromptNodeId, source: PromptNodeId): boolean {
    if (this.isDone(source)) return false;
    this.#sources.get(id)!.add(source);
    const consumers = this.#consumers.get(source) ?? new Set();
    this.#consumers.set(source, consumers.add(id));
    return true;
  }

  /** The lowest rank runs first: 0 for output nodes, 1 for their sources, 2 for the sources of those, 3 for all others. */
  #rank(id: PromptNodeId): number {
    if (this.typeOf(id).isOutput) return 0;
    const consumers = [...(this.#consumers.get(id) ?? [])];
    if (consumers.some((consumer) => this.typeOf(consumer).isOutput)) return 1;
    const isTwoAway = consumers.some((consumer) =>
      [...(this.#consumers.get(consumer) ?? [])].some((next) => this.typeOf(next).isOutput),
    );
    return isTwoAway ? 2 : 3;
  }
}
