/**
 * Results of nodes by what they were made from: class, literals, fingerprint, and the same of everything before them.
 * Ids of nodes do not count. Only what the last prompt could use is kept.
 */
import type { Graph, GraphNode, NodeId } from '../graph/graph.ts';
import { asLink, linksOf } from '../graph/graph.ts';
import type { AnyNode, Ui } from '../nodes/kernel/node-type.ts';
import { pythonValueJson } from '../python/python-json.ts';

export interface NodeOutputs {
  /** Each output is a list: of one value, unless the node gives or was mapped over several. */
  outputs: unknown[][];
  ui?: Ui;
  /** Key of the node in the graph in which it ran. */
  madeBy?: NodeId;
}

/** Stands for everything that goes into a node; equal keys, equal results. */
export type CacheKey = number;

/** undefined: the result may not be kept. */
export type Fingerprint = (node: GraphNode) => Promise<string | undefined>;

export class ResultCache {
  #kept = new Map<CacheKey, NodeOutputs>();
  /** Exact texts instead of hashes: each key is the number of the text that describes its node. */
  #known = new Map<string, CacheKey>();
  #next = 1;

  /** The keys of all nodes of a graph; whatever no node of it can use is dropped. */
  async begin(
    graph: Graph,
    typeOf: (node: GraphNode) => AnyNode,
    fingerprint: Fingerprint,
  ): Promise<Map<NodeId, CacheKey>> {
    const known = new Map<string, CacheKey>();
    const number = (text: string): CacheKey => {
      const key = this.#known.get(text) ?? known.get(text) ?? this.#next++;
      known.set(text, key);
      return key;
    };
    const keys = new Map<NodeId, CacheKey>();
    for (const node of sourcesFirst(graph)) {
      const type = typeOf(node);
      const print = type.fingerprint ? await fingerprint(node) : '';
      keys.set(
        node.id,
        print === undefined
          ? this.#next++
          : number(textOf(node, type, print, keys) ?? `once ${this.#next++}`),
      );
    }
    this.#known = known;
    const used = new Set(keys.values());
    for (const key of this.#kept.keys()) if (!used.has(key)) this.#kept.delete(key);
    return keys;
  }

  get(key: CacheKey): NodeOutputs | undefined {
    return this.#kept.get(key);
  }

  put(key: CacheKey, result: NodeOutputs): void {
    this.#kept.set(key, result);
  }

  clear(): void {
    this.#kept.clear();
    this.#known.clear();
  }
}

/** undefined: it hangs on something that is not there. */
function textOf(
  node: GraphNode,
  type: AnyNode,
  fingerprint: string,
  keys: ReadonlyMap<NodeId, CacheKey>,
): string | undefined {
  const isBound = type.notIdempotent || Object.values(type.hidden ?? {}).includes('UNIQUE_ID');
  const parts = [node.className, fingerprint, isBound ? node.id : ''];
  for (const name of [...(node.inputs?.keys() ?? [])].sort()) {
    const value = node.inputs!.get(name)!;
    const link = asLink(value);
    if (!link) parts.push(`${name}=${pythonValueJson(value)}`);
    else {
      const key = keys.get(link.node);
      if (key === undefined) return undefined;
      parts.push(`${name}<${key}.${link.slot}`);
    }
  }
  return parts.join('\0');
}

/** Every node after all that it links to; nodes of a cycle come in any order. Iterative. */
function sourcesFirst(graph: Graph): GraphNode[] {
  const order: GraphNode[] = [];
  const seen = new Set<NodeId>();
  for (const start of graph.values()) {
    if (seen.has(start.id)) continue;
    seen.add(start.id);
    const stack = [{ node: start, links: linksOf(start), at: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = top.links[top.at++];
      if (!next) {
        order.push(top.node);
        stack.pop();
        continue;
      }
      const source = graph.get(next[1].node);
      if (!source || seen.has(source.id)) continue;
      seen.add(source.id);
      stack.push({ node: source, links: linksOf(source), at: 0 });
    }
  }
  return order;
}
