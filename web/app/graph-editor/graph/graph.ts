/** An immutable graph: every edit returns a new graph that shares the unchanged parts. */
import type { ExactJsonObject, JsonValue } from './value.ts';

export type NodeId = string;

/** How a value changes after each run. */
export type AfterRun = 'fixed' | 'increment' | 'decrement' | 'randomize';

export interface GraphNode {
  readonly id: NodeId;
  readonly type: string;
  /** The title that the user has set. Without one the editor shows the title of the node's kind. */
  readonly title?: string;
  readonly x: number;
  readonly y: number;
  /** Width in pixels. Undefined: the width that the kind needs. */
  readonly width?: number;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly afterRun?: Readonly<Record<string, AfterRun>>;
  /** A muted node does not run. A bypassed node passes its inputs on as outputs. */
  readonly mode?: 'muted' | 'bypassed';
  /** The sockets from the file, for nodes of unknown kinds. */
  readonly sockets?: {
    readonly inputs: readonly { name: string; socket: string }[];
    readonly outputs: readonly { name: string; socket: string }[];
  };
  /** Fields of the file that the editor does not use. They are written back on saving. */
  readonly extraFields?: Readonly<ExactJsonObject>;
}

export interface Link {
  readonly from: NodeId;
  /** Index of the output of `from`. */
  readonly output: number;
  readonly to: NodeId;
  /** Name of the input of `to`. */
  readonly input: string;
}

export interface Group {
  readonly id: string;
  readonly title: string;
  /** A CSS color. */
  readonly color?: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Fields of the file that the editor does not use. They are written back on saving. */
  readonly extraFields?: Readonly<ExactJsonObject>;
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
  /** Fields of the file that the editor does not use. They are written back on saving. */
  readonly extraFields?: Readonly<ExactJsonObject>;
}

export const emptyGraph: Graph = { nodes: new Map(), links: [] };

export const linkId = ({ from, output, to, input }: Link): string => `${from}.${output}>${to}.${input}`;

/** An unused node id: a decimal number, as ComfyUI's editor expects. */
export function nextNodeId(graph: Graph): NodeId {
  let highest = 0;
  for (const id of graph.nodes.keys()) if (/^\d{1,9}$/.test(id)) highest = Math.max(highest, Number(id));
  return String(highest + 1);
}

/** Returns the id of a new node. `like` is the node that it copies, or its type. */
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

/** Removes nodes and all their links. */
export function withoutNodes(graph: Graph, ids: ReadonlySet<NodeId>): Graph {
  return {
    ...graph,
    nodes: new Map([...graph.nodes].filter(([id]) => !ids.has(id))),
    links: graph.links.filter(({ from, to }) => !ids.has(from) && !ids.has(to)),
  };
}

/** Adds a link. It replaces the input's earlier link unless the input accepts `many`. */
export function withLink(graph: Graph, link: Link, many = false): Graph {
  const rest = graph.links.filter((other) =>
    many ? linkId(other) !== linkId(link) : other.to !== link.to || other.input !== link.input,
  );
  return { ...graph, links: [...rest, link] };
}

export function withoutLink(graph: Graph, link: Link): Graph {
  const removedId = linkId(link);
  return { ...graph, links: graph.links.filter((other) => linkId(other) !== removedId) };
}

export function linkInto(graph: Graph, to: NodeId, input: string): Link | undefined {
  return graph.links.find((link) => link.to === to && link.input === input);
}

/** Whether a link between two nodes would close a cycle. */
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

/** All nodes, each after the nodes that it takes inputs from. Nodes of a cycle come in any order. */
export function topologicalOrder(graph: Graph): GraphNode[] {
  const feeders = new Map<NodeId, NodeId[]>();
  for (const { from, to } of graph.links) feeders.set(to, [...(feeders.get(to) ?? []), from]);
  const done = new Set<NodeId>();
  const order: GraphNode[] = [];
  // An explicit stack: a long chain would overflow the call stack.
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
