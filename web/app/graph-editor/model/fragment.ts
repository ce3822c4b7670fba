/** Parts of a graph, as they are copied and pasted. */
import { freshId, type Graph, type GraphNode, type Link, type NodeId } from './graph.ts';
import { type Fields, isFields, parseValue, printValue, type Value } from './value.ts';

export interface Fragment {
  nodes: GraphNode[];
  /** Between these nodes only. */
  links: Link[];
}

export function cut(graph: Graph, ids: ReadonlySet<NodeId>): Fragment {
  return {
    nodes: [...graph.nodes.values()].filter(({ id }) => ids.has(id)),
    links: graph.links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}

/** Puts it in with new ids, its upper left corner at `at`. */
export function paste(
  graph: Graph,
  { nodes, links }: Fragment,
  at: { x: number; y: number },
): { graph: Graph; ids: Set<NodeId> } {
  if (nodes.length === 0) return { graph, ids: new Set() };
  const left = Math.min(...nodes.map(({ x }) => x));
  const top = Math.min(...nodes.map(({ y }) => y));
  const renamed = new Map<NodeId, NodeId>();
  const all = new Map(graph.nodes);
  let next = Number(freshId(graph));
  for (const node of nodes) {
    const id = String(next++);
    renamed.set(node.id, id);
    all.set(id, { ...node, id, x: at.x + node.x - left, y: at.y + node.y - top });
  }
  const moved = links.flatMap((link): Link[] => {
    const from = renamed.get(link.from);
    const to = renamed.get(link.to);
    return from && to ? [{ ...link, from, to }] : [];
  });
  return {
    graph: { ...graph, nodes: all, links: [...graph.links, ...moved] },
    ids: new Set(renamed.values()),
  };
}

/** As text for a clipboard. */
export function printFragment({ nodes, links }: Fragment): string {
  return printValue({ [MARK]: 1, nodes: nodes as unknown as Value, links: links as unknown as Value }, 1);
}

/** undefined for a text that is not one. */
export function parseFragment(text: string): Fragment | undefined {
  if (!text.includes(`"${MARK}"`)) return undefined;
  let value: Value;
  try {
    value = parseValue(text);
  } catch {
    return undefined;
  }
  if (!isFields(value) || !Array.isArray(value.nodes) || !Array.isArray(value.links)) return undefined;
  const nodes = value.nodes.filter(
    (node) =>
      isFields(node) &&
      typeof node.id === 'string' &&
      typeof node.type === 'string' &&
      Number.isFinite(node.x) &&
      Number.isFinite(node.y) &&
      isFields(node.values),
  );
  const ids = new Set(nodes.map((node) => (node as Fields).id));
  const links = value.links.filter(
    (link) =>
      isFields(link) &&
      ids.has(link.from!) &&
      ids.has(link.to!) &&
      typeof link.output === 'number' &&
      typeof link.input === 'string',
  );
  return { nodes: nodes as unknown as GraphNode[], links: links as unknown as Link[] };
}

const MARK = 'tabd-graph';
