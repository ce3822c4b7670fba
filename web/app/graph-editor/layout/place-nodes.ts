/** Layered layout: nodes in columns, each to the right of its inputs, with few crossings of links. */
import { type Graph, type NodeId, topologicalOrder } from '../graph/graph.ts';

export interface Size {
  width: number;
  height: number;
}

const GAP_X = 70;
const GAP_Y = 36;
/** The number of sweeps of the barycenter heuristic, alternately forwards and backwards. */
const ROUNDS = 6;
/** Width divided by height of the laid out graph. */
const SCREEN = 1.6;

type Positions = Map<NodeId, { x: number; y: number }>;

/**
 * Returns the upper left corners of all nodes, in pixels; the first column begins at 0. Connected components are
 * placed in rows. Nodes of a cluster stay together, with a margin of `around` pixels and `above` more at the top.
 */
export function placeNodes(
  graph: Graph,
  sizeOf: (id: NodeId) => Size,
  clusters: Iterable<ReadonlySet<NodeId>> = [],
  { around = 30, above = 40 } = {},
): Positions {
  const owners = new Map<NodeId, NodeId>();
  const inner = new Map<NodeId, { places: Positions; box: Size }>();
  for (const ids of clusters) {
    const [first] = ids;
    if (first === undefined) continue;
    const key = `cluster of ${first}`;
    for (const id of ids) owners.set(id, key);
    const places = placeComponents(subgraphOf(graph, ids), sizeOf);
    const ends = [...places].map(([id, { x, y }]) => ({ x: x + sizeOf(id).width, y: y + sizeOf(id).height }));
    const width = Math.max(...ends.map(({ x }) => x)) + 2 * around;
    const height = Math.max(...ends.map(({ y }) => y)) + 2 * around + above;
    inner.set(key, { places, box: { width, height } });
  }
  if (inner.size === 0) return placeComponents(graph, sizeOf);
  const ownerOf = (id: NodeId) => owners.get(id) ?? id;
  const outer: Graph = {
    nodes: new Map(
      [...graph.nodes.values()].map((node) => [ownerOf(node.id), { ...node, id: ownerOf(node.id) }]),
    ),
    links: graph.links
      .map((link) => ({ ...link, from: ownerOf(link.from), to: ownerOf(link.to) }))
      .filter(({ from, to }) => from !== to),
  };
  const places: Positions = new Map();
  for (const [id, { x, y }] of placeComponents(outer, (key) => inner.get(key)?.box ?? sizeOf(key))) {
    const cluster = inner.get(id);
    if (!cluster) places.set(id, { x, y });
    for (const [member, place] of cluster?.places ?? [])
      places.set(member, { x: x + around + place.x, y: y + around + above + place.y });
  }
  return places;
}

function subgraphOf(graph: Graph, ids: ReadonlySet<NodeId>): Graph {
  return {
    nodes: new Map([...graph.nodes].filter(([id]) => ids.has(id))),
    links: graph.links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}

/** Places the connected components in rows, about in the proportions of a screen. */
function placeComponents(graph: Graph, sizeOf: (id: NodeId) => Size): Positions {
  const arrangedParts = connectedComponents(graph).map((part) => {
    const places = placeComponent(part, sizeOf);
    const width = Math.max(...[...places].map(([id, { x }]) => x + sizeOf(id).width));
    const height = Math.max(...[...places].map(([id, { y }]) => y + sizeOf(id).height));
    return { places, width, height };
  });
  const space = arrangedParts.reduce(
    (sum, { width, height }) => sum + (width + GAP_X) * (height + 2 * GAP_Y),
    0,
  );
  const widest = Math.max(Math.sqrt(space * SCREEN), ...arrangedParts.map(({ width }) => width));
  const all: Positions = new Map();
  let [left, top, shelf] = [0, 0, 0];
  for (const { places, width, height } of arrangedParts) {
    if (left > 0 && left + width > widest) {
      top += shelf + 2 * GAP_Y;
      [left, shelf] = [0, 0];
    }
    for (const [id, { x, y }] of places) all.set(id, { x: Math.round(left + x), y: Math.round(top + y) });
    left += width + 2 * GAP_X;
    shelf = Math.max(shelf, height);
  }
  return all;
}

function placeComponent(graph: Graph, sizeOf: (id: NodeId) => Size): Map<NodeId, { x: number; y: number }> {
  const columns = toColumns(graph);
  const before = new Map<NodeId, NodeId[]>();
  const after = new Map<NodeId, NodeId[]>();
  for (const { from, to } of graph.links) {
    before.set(to, [...(before.get(to) ?? []), from]);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const middle = new Map<NodeId, number>();
  const stack = (column: NodeId[]) => {
    let y = -column.reduce((sum, id) => sum + sizeOf(id).height + GAP_Y, -GAP_Y) / 2;
    for (const id of column) {
      const { height } = sizeOf(id);
      middle.set(id, y + height / 2);
      y += height + GAP_Y;
    }
  };
  for (const column of columns) stack(column);
  for (let round = 0; round < ROUNDS; round++) {
    const forward = round % 2 === 0;
    for (const column of forward ? columns : columns.toReversed()) {
      const pull = (id: NodeId) => {
        const near = (forward ? before : after).get(id) ?? [];
        if (near.length === 0) return middle.get(id)!;
        return near.reduce((sum, other) => sum + (middle.get(other) ?? 0), 0) / near.length;
      };
      const targets = new Map(column.map((id) => [id, pull(id)]));
      column.sort((a, b) => targets.get(a)! - targets.get(b)!);
      stack(column);
    }
  }
  const places = new Map<NodeId, { x: number; y: number }>();
  let x = 0;
  let highest = Number.POSITIVE_INFINITY;
  for (const column of columns) {
    for (const id of column) {
      const y = middle.get(id)! - sizeOf(id).height / 2;
      highest = Math.min(highest, y);
      places.set(id, { x, y });
    }
    x += Math.max(0, ...column.map((id) => sizeOf(id).width)) + GAP_X;
  }
  for (const [id, place] of places) places.set(id, { x: place.x, y: place.y - highest });
  return places;
}

/**
 * The column of a node is the length of the longest path to it. A node without inputs is placed directly before its
 * first target.
 */
function toColumns(graph: Graph): NodeId[][] {
  const order = topologicalOrder(graph).map(({ id }) => id);
  const column = new Map<NodeId, number>();
  const into = new Map<NodeId, NodeId[]>();
  const outOf = new Map<NodeId, NodeId[]>();
  for (const { from, to } of graph.links) {
    into.set(to, [...(into.get(to) ?? []), from]);
    outOf.set(from, [...(outOf.get(from) ?? []), to]);
  }
  for (const id of order)
    column.set(id, Math.max(-1, ...(into.get(id) ?? []).map((other) => column.get(other) ?? -1)) + 1);
  for (const id of order) {
    const next = (outOf.get(id) ?? []).map((other) => column.get(other)!);
    if (!into.has(id) && next.length > 0) column.set(id, Math.max(0, Math.min(...next) - 1));
  }
  const columns: NodeId[][] = [];
  for (const id of order) {
    const at = column.get(id)!;
    columns[at] = [...(columns[at] ?? []), id];
  }
  return [...columns].map((ids) => ids ?? []);
}

/** The connected components, largest first. All single nodes together are the last one. */
function connectedComponents(graph: Graph): Graph[] {
  const near = new Map<NodeId, NodeId[]>();
  for (const { from, to } of graph.links) {
    near.set(from, [...(near.get(from) ?? []), to]);
    near.set(to, [...(near.get(to) ?? []), from]);
  }
  const seen = new Set<NodeId>();
  const found: Set<NodeId>[] = [];
  const alone = new Set<NodeId>();
  for (const first of graph.nodes.keys()) {
    if (seen.has(first)) continue;
    const part = new Set<NodeId>();
    const open = [first];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      part.add(id);
      open.push(...(near.get(id) ?? []));
    }
    if (part.size === 1) alone.add(first);
    else found.push(part);
  }
  found.sort((a, b) => b.size - a.size);
  if (alone.size > 0) found.push(alone);
  return found.map((ids) => subgraphOf(graph, ids));
}
