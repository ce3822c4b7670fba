/** Which node of a graph runs next. */
import type { Graph, NodeId } from '../graph/graph.ts';
import { linksOf } from '../graph/graph.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';

/** The graph that is left to run has nodes that wait for each other. */
export class DependencyCycle extends Error {
  override name = 'graph.DependencyCycleError';
  constructor(readonly node: NodeId) {
    super('Dependency cycle detected');
  }
}

export class NodeSchedule {
  /** Unfinished sources of each node that is to run, in the order of the walk. */
  readonly #waiting = new Map<NodeId, Set<NodeId>>();
  readonly #consumers = new Map<NodeId, Set<NodeId>>();
  /** Nodes without unfinished sources. */
  readonly #ready = new Set<NodeId>();
  readonly #ranks = new Map<NodeId, number>();
  /** When the walk came to a node: among equals, the earlier runs first. */
  readonly #places = new Map<NodeId, number>();

  /** @param isDone its result is there already: what it is made from need not run */
  constructor(
    private readonly graph: Graph,
    private readonly typeOf: (id: NodeId) => AnyNode,
    private readonly isDone: (id: NodeId) => boolean,
  ) {}

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Adds a node with everything it needs. Inputs that are lazy wait to be asked for. */
  add(start: NodeId): void {
    const stack = [start];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (this.#waiting.has(id)) continue;
      this.#waiting.set(id, new Set());
      this.#places.set(id, this.#places.size);
      const inputs = this.typeOf(id).inputs;
      for (const [name, { node }] of linksOf(this.graph.get(id)!)) {
        if (inputs[name] === undefined || inputs[name].lazy) continue;
        if (this.#connect(id, node)) stack.push(node);
      }
      if (this.#waiting.get(id)!.size === 0) this.#ready.add(id);
    }
  }

  /** A lazy input is wanted after all: the node waits for it. */
  need(id: NodeId, source: NodeId): void {
    if (!this.#connect(id, source)) return;
    this.#ready.delete(id);
    this.add(source);
  }

  /** The next to run: outputs first, then what feeds them, then what feeds that. Throws `DependencyCycle`. */
  next(): NodeId {
    let best: NodeId | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    let bestPlace = Number.POSITIVE_INFINITY;
    for (const id of this.#ready) {
      const rank = this.#ranks.get(id) ?? this.#rank(id);
      this.#ranks.set(id, rank);
      const place = this.#places.get(id)!;
      if (rank < bestRank || (rank === bestRank && place < bestPlace))
        [best, bestRank, bestPlace] = [id, rank, place];
    }
    if (best === undefined) throw new DependencyCycle([...this.#waiting.keys()][0]!);
    return best;
  }

  done(id: NodeId): void {
    this.#waiting.delete(id);
    this.#ready.delete(id);
    for (const consumer of this.#consumers.get(id) ?? []) {
      const sources = this.#waiting.get(consumer);
      if (sources?.delete(id) && sources.size === 0) this.#ready.add(consumer);
    }
    this.#consumers.delete(id);
  }

  /** False: nothing to wait for. */
  #connect(id: NodeId, source: NodeId): boolean {
    if (this.isDone(source)) return false;
    this.#waiting.get(id)!.add(source);
    const consumers = this.#consumers.get(source) ?? new Set();
    this.#consumers.set(source, consumers.add(id));
    return true;
  }

  #rank(id: NodeId): number {
    if (this.typeOf(id).isOutput) return 0;
    const feeds = [...(this.#consumers.get(id) ?? [])];
    if (feeds.some((consumer) => this.typeOf(consumer).isOutput)) return 1;
    const isNear = feeds.some((consumer) =>
      [...(this.#consumers.get(consumer) ?? [])].some((next) => this.typeOf(next).isOutput),
    );
    return isNear ? 2 : 3;
  }
}
