/** A graph that is never changed: every edit gives a new one that shares what stayed the same. */
import type { JsonObject, JsonValue } from './value.ts';

export type NodeId = string;

/** What becomes of a value after a run. */
export type AfterRun = 'fixed' | 'increment' | 'decrement' | 'randomize';

export interface GraphNode {
  readonly id: NodeId;
  readonly type: string;
  /** Given by a person; else its kind names it. */
  readonly title?: string;
  readonly x: number;
  readonly y: number;
  /** Pixels; undefined: as wide as its kind needs. */
  readonly width?: number;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly afterRun?: Readonly<Record<string, AfterRun>>;
  /** Muted: it does not run. Bypassed: what comes in goes out. */
  readonly mode?: 'muted' | 'bypassed';
  /** How it was connected when it was saved, for kinds that are not known here. */
  readonly sockets?: {
    readonly inputs: readonly { name: string; socket: string }[];
    readonly outputs: readonly { name: string; socket: string }[];
  };
  /** What its file held besides; it is saved again. */
  readonly extraFields?: Readonly<JsonObject>;
}

export interface Link {
  readonly from: NodeId;
  /** Place among the outputs of `from`. */
  readonly output: number;
  readonly to: NodeId;
  /** Name of an input of `to`. */
  readonly input: string;
}

export interface Group {
  readonly id: string;
  readonly title: string;
  /** Of CSS. */
  readonly colour?: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** What its file held besides; it is saved again. */
  readonly extraFields?: Readonly<JsonObject>;
}

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Graph {
  readonly nodes: ReadonlyMap<NodeId, GraphNode>;
  readonly links: readonly Link[];
  readonly groups?: readonly Group[];
  /** What its file held besides nodes and links; it is saved again. */
  readonly extraFields?: Readonly<JsonObject>;
}

export const emptyGraph: Graph = { nodes: new Map(), links: [] };

export const linkId = ({ from, output, to, input }: Link): string => `${from}.${output}>${to}.${input}`;

/** One that no node has: a number, as other editors expect. */
export function nextNodeId(graph: Graph): NodeId {
  let highest = 0;
  for (const id of graph.nodes.keys()) if (/^\d{1,9}$/.test(id)) highest = Math.max(highest, Number(id));
  return String(highest + 1);
}

/** Gives a new node its id; `like`: what it is a copy of, or what it will be. */
export type NodeNamer = (like: { type: string; id?: NodeId }) => NodeId;

export function sequentialIds(graph: Graph): NodeNamer {
  let next = Number(nextNodeId(graph));
  return () => String(next++);
}

export function withNode(graph: Graph, node: GraphNode): Graph {
  return { ...graph, nodes: new Map(graph.nodes).set(node.id, node) };
}

export function changeNode(graph: Graph, id: NodeId, change: Partial<GraphNode>): Graph {
  const node = graph.nodes.get(id);
  return node ? withNode(graph, { ...node, ...change }) : graph;
}

export function moveNodes(graph: Graph, places: ReadonlyMap<NodeId, { x: number; y: number }>): Graph {
  const nodes = new Map(graph.nodes);
  for (const [id, { x, y }] of places) {
    const node = nodes.get(id);
    if (node && (node.x !== x || node.y !== y)) nodes.set(id, { ...node, x, y });
  }
  return { ...graph, nodes };
}

/** Without these nodes and every link from and to them. */
export function withoutNodes(graph: Graph, ids: ReadonlySet<NodeId>): Graph {
  return {
    ...graph,
    nodes: new Map([...graph.nodes].filter(([id]) => !ids.has(id))),
    links: graph.links.filter(({ from, to }) => !ids.has(from) && !ids.has(to)),
  };
}

/** An input has one link, and a new one takes its place, unless it takes `many`. */
export function withLink(graph: Graph, link: Link, many = false): Graph {
  const rest = graph.links.filter((other) =>
    many ? linkId(other) !== linkId(link) : other.to !== link.to || other.input !== link.input,
  );
  return { ...graph, links: [...rest, link] };
}

export function withoutLink(graph: Graph, link: Link): Graph {
  const gone = linkId(link);
  return { ...graph, links: graph.links.filter((other) => linkId(other) !== gone) };
}

export function linkInto(graph: Graph, to: NodeId, input: string): Link | undefined {
  return graph.links.find((link) => link.to === to && link.input === input);
}

/** Whether a link from one node to another would close a circle. */
export function closesCycle(graph: Graph, from: NodeId, to: NodeId): boolean {
  const seen = new Set<NodeId>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    for (const link of graph.links) if (link.to === id) open.push(link.from);
  }
  return false;
}

/** Every node after those that feed it; where there are circles, as they come. */
export function topologicalOrder(graph: Graph): GraphNode[] {
  const feeders = new Map<NodeId, NodeId[]>();
  for (const { from, to } of graph.links) feeders.set(to, [...(feeders.get(to) ?? []), from]);
  const done = new Set<NodeId>();
  const order: GraphNode[] = [];
  // A stack of its own: a chain may be longer than calls may nest.
  for (const first of graph.nodes.keys()) {
    const open: { id: NodeId; entered: boolean }[] = [{ id: first, entered: false }];
    for (let top = open.at(-1); top; top = open.at(-1)) {
      if (top.entered || done.has(top.id)) {
        open.pop();
        const node = graph.nodes.get(top.id);
        if (top.entered && node) order.push(node);
        continue;
      }
      done.add(top.id);
      top.entered = true;
      for (const id of (feeders.get(top.id) ?? []).toReversed())
        if (!done.has(id)) open.push({ id, entered: false });
    }
  }
  return order;
}
