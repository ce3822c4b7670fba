import { type Graph, type GraphNode, linksOf, type NodeId } from './graph.ts';

/** The link by which a walk reached a source. */
export interface Consumer {
  node: GraphNode;
  input: string;
}

export interface SourceWalk {
  /** Each node after all of its sources. Nodes of a cycle come in any order. */
  order: NodeId[];
  /** The first link to each node, except for the nodes where the walk started. */
  consumers: Map<NodeId, Consumer>;
  isCyclic: boolean;
}

/** Walks from the starts along the links to all their sources. Iterative: a chain of 100,000 nodes must not fill the stack. */
export function walkSources(graph: Graph, starts: Iterable<NodeId>): SourceWalk {
  const order: NodeId[] = [];
  const consumers = new Map<NodeId, Consumer>();
  const states = new Map<NodeId, 'open' | 'done'>();
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

const openNode = (node: GraphNode) => ({ node, links: linksOf(node), nextLink: 0 });
