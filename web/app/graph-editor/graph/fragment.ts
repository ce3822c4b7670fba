/** Parts of a graph, as they are copied and pasted. */
import {
  type Graph,
  type GraphNode,
  type Group,
  type Link,
  type Namer,
  type NodeId,
  numbered,
} from './graph.ts';
import { freshGroupId, withGroup } from './group.ts';
import { type Fields, isFields, parseValue, printValue, type Value } from './value.ts';

export interface Fragment {
  nodes: GraphNode[];
  /** Between these nodes only. */
  links: Link[];
  groups: Group[];
}

/** `groups`: those that come along. */
export function cut(graph: Graph, ids: ReadonlySet<NodeId>, groups: readonly Group[] = []): Fragment {
  return {
    nodes: [...graph.nodes.values()].filter(({ id }) => ids.has(id)),
    links: graph.links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    groups: [...groups],
  };
}

/** Puts it in with new ids, its upper left corner at `at`. */
export function paste(
  graph: Graph,
  { nodes, links, groups }: Fragment,
  at: { x: number; y: number },
  nameOf: Namer = numbered(graph),
): { graph: Graph; ids: Set<NodeId> } {
  if (nodes.length === 0) return { graph, ids: new Set() };
  const left = Math.min(...nodes.map(({ x }) => x));
  const top = Math.min(...nodes.map(({ y }) => y));
  const renamed = new Map<NodeId, NodeId>();
  const all = new Map(graph.nodes);
  for (const node of nodes) {
    const id = nameOf(node);
    renamed.set(node.id, id);
    all.set(id, { ...node, id, x: at.x + node.x - left, y: at.y + node.y - top });
  }
  const moved = links.flatMap((link): Link[] => {
    const from = renamed.get(link.from);
    const to = renamed.get(link.to);
    return from && to ? [{ ...link, from, to }] : [];
  });
  let pasted: Graph = { ...graph, nodes: all, links: [...graph.links, ...moved] };
  for (const group of groups)
    pasted = withGroup(pasted, {
      ...group,
      id: freshGroupId(pasted),
      x: at.x + group.x - left,
      y: at.y + group.y - top,
    });
  return { graph: pasted, ids: new Set(renamed.values()) };
}

/** As text for a clipboard. */
export function printFragment({ nodes, links, groups }: Fragment): string {
  const asValue = (list: readonly unknown[]) => list as unknown as Value;
  return printValue({ [MARK]: 1, nodes: asValue(nodes), links: asValue(links), groups: asValue(groups) }, 1);
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
  const groups = (Array.isArray(value.groups) ? value.groups : []).filter(
    (group) =>
      isFields(group) &&
      typeof group.title === 'string' &&
      (['x', 'y', 'width', 'height'] as const).every((side) => Number.isFinite(group[side])),
  );
  return {
    nodes: nodes as unknown as GraphNode[],
    links: links as unknown as Link[],
    groups: groups as unknown as Group[],
  };
}

const MARK = 'tabd-graph';
