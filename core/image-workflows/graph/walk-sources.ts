import { linksOf, type PromptGraph, type PromptNode, type PromptNodeId } from './graph.ts';

/** The link by which a walk reached a source. */
export interface Consumer {
  node: PromptNode;
  input: string;
}

export interface SourceWalk {
  /** Each node after all of its sources. Nodes of a cycle come in any order. */
  order: PromptNodeId[];
  /** The first link to each node, except for the nodes where the walk started. */
  consumers: Map<PromptNodeId, Consumer>;
  isCyclic: boolean;
}

/** Walks from the starts along the links to all their sources. Iterative: a chain of 100,000 nodes must not fill the stack. */
export function walkSources(graph: PromptGraph, starts: Iterable<PromptNodeId>): SourceWalk {
  const order: PromptNodeId[] = [];
  const consumers = new Map<PromptNodeId, Consumer>();
  const states = new Map<PromptNodeId, 'open' | 'done'>();
  let isCyclic = false;
  for (const start of starts) {
    if (states.has(start)) continue;
    states.set(start, 'open');
    const stack = [openNode(graph.get(start)!)];
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = top.links[top.nextLink++];
      if (!next) {
        stack.pop();
        states.set(top.node.id, 'done');
        order.push(top.node.id);
        continue;
      }
      const [input, { node: id }] = next;
      if (states.get(id) === 'open') isCyclic = true;
      const source = graph.get(id);
      if (!source || states.has(id)) continue;
      states.set(id, 'open');
      consumers.set(id, { node: top.node, input });
      stack.push(openNode(source));
    }
  }
  return { order, consumers, isCyclic };
}

const openNode = (node: PromptNode) => ({ node, links: linksOf(node), nextLink: 0 });
