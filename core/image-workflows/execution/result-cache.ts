import type { PromptGraph, PromptNode, PromptNodeId } from '../graph/graph.ts';
import { asLink } from '../graph/graph.ts';
import { walkSources } from '../graph/walk-sources.ts';
import type { AnyNode, Ui } from '../nodes/kernel/node-type.ts';
import { pythonValueJson } from '../python/python-json.ts';

export interface NodeOutputs {
  /** Each output is a list: of one value, unless the node returns several or ran several times. */
  outputs: unknown[][];
  ui?: Ui;
  /** The node's id in the graph in which it ran. */
  ranAs?: PromptNodeId;
}

/** Stands for everything that a node's result depends on: equal keys, equal results. */
export type CacheKey = number;

/** Reads what a node depends on outside of the graph. Undefined: its result may not be reused. */
export type ReadFingerprint = (node: PromptNode) => Promise<string | undefined>;

/**
 * The results of the last prompt's nodes. A key covers class, literals, fingerprint and the keys of all sources. Ids of
 * nodes do not count, so another graph with the same parts gets the same results.
 */
export class ResultCache {
  #results = new Map<CacheKey, NodeOutputs>();
  /** Keys by the text that describes a node. Texts instead of hashes exclude collisions. */
  #keys = new Map<string, CacheKey>();
  #nextKey = 1;

  /** Assigns keys to all nodes of the next prompt's graph, and drops the results that it cannot use. */
  async assignKeys(
    graph: PromptGraph,
    typeOf: (node: PromptNode) => AnyNode,
    readFingerprint: ReadFingerprint,
  ): Promise<Map<PromptNodeId, CacheKey>> {
    const texts = new Map<string, CacheKey>();
    const keyOf = (text: string): CacheKey => {
      const key = this.#keys.get(text) ?? texts.get(text) ?? this.#nextKey++;
      texts.set(text, key);
      return key;
    };
    const keys = new Map<PromptNodeId, CacheKey>();
    for (const id of walkSources(graph, graph.keys()).order) {
      const node = graph.get(id)!;
      const type = typeOf(node);
      const fingerprint = type.fingerprint ? await readFingerprint(node) : '';
      const text = fingerprint === undefined ? undefined : describeNode(node, type, fingerprint, keys);
      keys.set(id, text === undefined ? this.#nextKey++ : keyOf(text));
    }
    this.#keys = texts;
    const used = new Set(keys.values());
    for (const key of this.#results.keys()) if (!used.has(key)) this.#results.delete(key);
    return keys;
  }

  get(key: CacheKey): NodeOutputs | undefined {
    return this.#results.get(key);
  }

  put(key: CacheKey, result: NodeOutputs): void {
    this.#results.set(key, result);
  }

  clear(): void {
    this.#results.clear();
    this.#keys.clear();
  }
}

/** Describes everything that a node's result depends on. Undefined when a source is missing or part of a cycle. */
function describeNode(
  node: PromptNode,
  type: AnyNode,
  fingerprint: string,
  keys: ReadonlyMap<PromptNodeId, CacheKey>,
): string | undefined {
  const dependsOnId = type.notIdempotent || Object.values(type.hidden ?? {}).includes('UNIQUE_ID');
  const parts = [node.className, fingerprint, dependsOnId ? node.id : ''];
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
