/** Parts of a graph that are copied and pasted. */
import {
  type Graph,
  type GraphNode,
  type Group,
  type Link,
  type NodeId,
  type NodeNamer,
  sequentialIds,
} from './graph.ts';
import { nextGroupId, withGroup } from './group.ts';
import {
  type ExactJsonObject,
  isJsonObject,
  type JsonValue,
  parseExactJson,
  printExactJson,
} from './value.ts';

export interface Fragment {
  nodes: GraphNode[];
  /** The links between these nodes. */
  links: Link[];
  groups: Group[];
}

/** The nodes `ids` with the links between them, and `groups`. */
export function extractFragment(
  graph: Graph,
  ids: ReadonlySet<NodeId>,
  groups: readonly Group[] = [],
): Fragment {
  return {
    nodes: [...graph.nodes.values()].filter(({ id }) => ids.has(id)),
    links: graph.links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    groups: [...groups],
  };
}

/** Adds a fragment with new ids and its upper left corner at `at`. */
export function insertFragment(
  graph: Graph,
  { nodes, links, groups }: Fragment,
  at: { x: number; y: number },
  nameOf: NodeNamer = sequentialIds(graph),
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
      id: nextGroupId(pasted),
      x: at.x + group.x - left,
      y: at.y + group.y - top,
    });
  return { graph: pasted, ids: new Set(renamed.values()) };
}

/** The fragment as text for the clipboard. */
export function printFragment({ nodes, links, groups }: Fragment): string {
  const asValue = (list: readonly unknown[]) => list as unknown as JsonValue;
  return printExactJson(
    { [FRAGMENT_KEY]: 1, nodes: asValue(nodes), links: asValue(links), groups: asValue(groups) },
    1,
  );
}

/** Reads the text of `printFragment`. Returns undefined for any other text. */
export function parseFragment(text: string): Fragment | undefined {
  if (!text.includes(`"${FRAGMENT_KEY}"`)) return undefined;
  let value: JsonValue;
  try {
    value = parseExactJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || !Array.isArray(value.nodes) || !Array.isArray(value.links)) return undefined;
  const nodes = value.nodes.filter(
    (node) =>
      isJsonObject(node) &&
      typeof node.id === 'string' &&
      typeof node.type === 'string' &&
      Number.isFinite(node.x) &&
      Number.isFinite(node.y) &&
      isJsonObject(node.values),
  );
  const ids = new Set(nodes.map((node) => (node as ExactJsonObject).id));
  const links = value.links.filter(
    (link) =>
      isJsonObject(link) &&
      ids.has(link.from!) &&
      ids.has(link.to!) &&
      typeof link.output === 'number' &&
      typeof link.input === 'string',
  );
  const groups = (Array.isArray(value.groups) ? value.groups : []).filter(
    (group) =>
      isJsonObject(group) &&
      typeof group.title === 'string' &&
      (['x', 'y', 'width', 'height'] as const).every((side) => Number.isFinite(group[side])),
  );
  return {
    nodes: nodes as unknown as GraphNode[],
    links: links as unknown as Link[],
    groups: groups as unknown as Group[],
  };
}

const FRAGMENT_KEY = 'tabd-graph';
