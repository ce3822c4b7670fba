/** The format in which ComfyUI's editor saves: nodes with places, links by number, values of widgets as a list. */

import {
  type AfterRun,
  freshId,
  type Graph,
  type GraphNode,
  type Group,
  inOrder,
  type Link,
  type NodeId,
} from '#web/app/graph-editor/graph/graph.ts';
import { groupsOf } from '#web/app/graph-editor/graph/group.ts';
import { type Fields, isFields, type Value } from '#web/app/graph-editor/graph/value.ts';
import { kindOf } from '#web/app/graph-editor/nodes/kind-of.ts';
import { geometryOf } from '#web/app/graph-editor/nodes/node-geometry.ts';
import {
  type InputKind,
  initialValue,
  type NodeKind,
  type NodeKinds,
} from '#web/app/graph-editor/nodes/node-kind.ts';
import { list, pair, rest } from './saved-fields.ts';
import { withoutSubgraphs } from './subgraphs.ts';

const AFTER_RUN: readonly string[] = ['fixed', 'increment', 'decrement', 'randomize'] satisfies AfterRun[];
const MUTED = 2;
const BYPASSED = 4;
/** Fields of a node that are written anew; all others are kept as they came. */
const NODE_FIELDS = new Set('id type title pos size mode order inputs outputs widgets_values'.split(' '));
/** The same of a graph; bends of wires, which refer to links by number, are gone with the old numbers. */
const FIELDS = new Set(
  'nodes links groups definitions state reroutes floatingLinks last_node_id last_link_id version'.split(' '),
);
const EXTRA = new Set(['reroutes', 'linkExtensions']);
const GROUP_FIELDS = new Set(['title', 'bounding', 'color']);

export function isSavedFormat(value: Value): value is Fields & { nodes: Value[] } {
  return isFields(value) && Array.isArray(value.nodes);
}

/**
 * Subgraphs are opened up. Reroutes and primitives, which only that editor knows, are resolved: what they hand on
 * stands where it goes. Throws `ApiFailure` for what cannot be.
 */
export function fromSaved(value: Fields & { nodes: Value[] }, kinds: NodeKinds): Graph {
  const flat = withoutSubgraphs(value);
  const saved = new Map<NodeId, Fields>();
  for (const node of flat.nodes)
    if (node.id !== undefined && typeof node.type === 'string') saved.set(String(node.id), node);
  const sources = new Map(flat.links.map((link) => [link.id, link]));
  const nodes = new Map<NodeId, GraphNode>();
  const links: Link[] = [];
  for (const [id, node] of saved) {
    if (node.type === 'Reroute' || node.type === 'PrimitiveNode') continue;
    const read = readNode(id, node, kinds);
    const values = { ...read.values, ...flat.given.get(id) };
    const afterRun = { ...read.afterRun };
    for (const input of list(node.inputs)) {
      if (!isFields(input) || typeof input.name !== 'string') continue;
      const source = pastReroutes(saved, sources, input.link);
      const origin = source && saved.get(source.from);
      if (!source || !origin) continue;
      if (origin.type !== 'PrimitiveNode') {
        links.push({ from: source.from, output: source.output, to: id, input: input.name });
        continue;
      }
      const [given, after] = list(origin.widgets_values);
      if (given !== undefined && given !== null) values[input.name] = given;
      if (typeof after === 'string' && AFTER_RUN.includes(after)) afterRun[input.name] = after as AfterRun;
    }
    nodes.set(id, { ...read, values, ...(Object.keys(afterRun).length > 0 && { afterRun }) });
  }
  const kept = rest(value, FIELDS);
  if (isFields(kept.extra)) kept.extra = rest(kept.extra, EXTRA);
  const groups = flat.groups.flatMap(readGroup);
  return {
    nodes,
    links,
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(kept).length > 0 && { kept }),
  };
}

function readGroup(group: Fields, at: number): Group[] {
  const [x, y, width, height] = list(group.bounding).map(Number);
  if (![x, y, width, height].every(Number.isFinite)) return [];
  return [
    {
      id: `g${at + 1}`,
      title: typeof group.title === 'string' ? group.title : '',
      ...(typeof group.color === 'string' && { colour: group.color }),
      x: x!,
      y: y!,
      width: width!,
      height: height!,
      kept: rest(group, GROUP_FIELDS),
    },
  ];
}

const savedGroup = ({ title, colour, x, y, width, height, kept }: Group): Fields => ({
  ...kept,
  title,
  bounding: [x, y, width, height],
  ...(colour !== undefined && { color: colour }),
});

function readNode(id: NodeId, node: Fields, kinds: NodeKinds): GraphNode {
  const type = node.type as string;
  const kind = kinds.get(type);
  const { values, afterRun } = kind ? readWidgets(kind, node.widgets_values) : unnamed(node.widgets_values);
  const sockets = (ports: Value | undefined) =>
    list(ports).flatMap((port) =>
      isFields(port) && typeof port.name === 'string'
        ? [{ name: port.name, socket: typeof port.type === 'string' ? port.type : '*' }]
        : [],
    );
  const width = pair(node.size)?.[0];
  return {
    id,
    type,
    x: Math.round(pair(node.pos)?.[0] ?? 0),
    y: Math.round(pair(node.pos)?.[1] ?? 0),
    ...(width !== undefined && { width: Math.round(width) }),
    values,
    ...(afterRun && { afterRun }),
    ...(typeof node.title === 'string' && node.title !== kind?.title && { title: node.title }),
    ...(node.mode === MUTED && { mode: 'muted' as const }),
    ...(node.mode === BYPASSED && { mode: 'bypassed' as const }),
    ...(!kind && { sockets: { inputs: sockets(node.inputs), outputs: sockets(node.outputs) } }),
    kept: rest(node, NODE_FIELDS),
  };
}

/** Values stand in the order of the widgets; a seed is followed by what becomes of it, a file by its upload button. */
function readWidgets(
  kind: NodeKind,
  saved: Value | undefined,
): { values: Fields; afterRun?: Record<string, AfterRun> } {
  const values: Fields = {};
  const afterRun: Record<string, AfterRun> = {};
  const byName = isFields(saved) ? saved : undefined;
  const row = list(saved);
  let at = 0;
  for (const input of kind.inputs) {
    const { name, widget } = input;
    if (!widget) continue;
    const given = byName ? byName[name] : row[at++];
    values[name] = given === undefined || given === null ? initialValue(widget) : given;
    const next = row[at];
    if (mayChange(input) && typeof next === 'string' && AFTER_RUN.includes(next)) {
      afterRun[name] = next as AfterRun;
      at++;
    }
    if (widget.kind === 'choice' && widget.upload && row[at] === 'image') at++;
  }
  return { values, ...(Object.keys(afterRun).length > 0 && { afterRun }) };
}

const mayChange = ({ name, widget }: InputKind): boolean =>
  widget?.kind === 'whole' && (widget.changesAfterRun === true || name === 'seed' || name === 'noise_seed');

/** Of a kind that is not known here: kept, and shown by number. */
function unnamed(saved: Value | undefined): { values: Fields; afterRun?: undefined } {
  if (isFields(saved)) return { values: saved };
  return { values: Object.fromEntries(list(saved).map((value, at) => [`#${at + 1}`, value])) };
}

function pastReroutes(
  saved: ReadonlyMap<NodeId, Fields>,
  sources: ReadonlyMap<string, { from: NodeId; output: number }>,
  link: Value | undefined,
): { from: NodeId; output: number } | undefined {
  let id: Value | undefined = link;
  for (let left = saved.size; left >= 0; left--) {
    const source = id === undefined || id === null ? undefined : sources.get(String(id));
    const node = source && saved.get(source.from);
    if (node?.type !== 'Reroute') return source;
    const [input] = list(node.inputs);
    id = isFields(input) ? input.link : undefined;
  }
  return undefined;
}

export function toSaved(graph: Graph, kinds: NodeKinds): Fields {
  const numbers = new Map(graph.links.map((link, at) => [link, at + 1]));
  const order = new Map(inOrder(graph).map(({ id }, at) => [id, at]));
  const [into, outOf] = [grouped(graph.links, ({ to }) => to), grouped(graph.links, ({ from }) => from)];
  const savedId = numbering(graph);
  const typeOf = (socket: string) => (socket.startsWith('[') ? 'COMBO' : socket);
  const rows: Value[] = [];
  const nodes = [...graph.nodes.values()].map((node): Fields => {
    const kind = kindOf(kinds, node, graph);
    const { width, height } = geometryOf(kind, node);
    const incoming = into.get(node.id) ?? [];
    const outgoing = outOf.get(node.id) ?? [];
    const shown = kind.inputs.filter(
      ({ name, widget }) => !widget || incoming.some(({ input }) => input === name),
    );
    for (const [at, { name }] of shown.entries()) {
      for (const link of incoming.filter(({ input }) => input === name)) {
        const source = graph.nodes.get(link.from);
        const type = source && kindOf(kinds, source, graph).outputs[link.output]?.socket;
        const number = numbers.get(link)!;
        rows.push([number, savedId(link.from), link.output, savedId(node.id), at, typeOf(type ?? '*')]);
      }
    }
    return {
      flags: {},
      properties: { 'Node name for S&R': node.type },
      ...node.kept,
      id: savedId(node.id),
      type: node.type,
      ...(node.title !== undefined && { title: node.title }),
      pos: [node.x, node.y],
      size: [width, height],
      order: order.get(node.id)!,
      mode: node.mode === 'muted' ? MUTED : node.mode === 'bypassed' ? BYPASSED : 0,
      inputs: shown.map(({ name, socket = '*', widget }) => {
        const link = incoming.find(({ input }) => input === name);
        return {
          name,
          type: typeOf(socket),
          link: link ? numbers.get(link)! : null,
          ...(widget && { widget: { name } }),
        };
      }),
      outputs: kind.outputs.map(({ label, socket }, at) => ({
        name: label,
        type: typeOf(socket),
        links: outgoing.filter(({ output }) => output === at).map((link) => numbers.get(link)!),
      })),
      widgets_values: widgetValues(node, kind),
    };
  });
  return {
    extra: {},
    config: {},
    ...graph.kept,
    groups: groupsOf(graph).map(savedGroup),
    last_node_id: Math.max(0, ...nodes.map(({ id }) => Number(id))),
    last_link_id: graph.links.length,
    nodes,
    links: rows.sort((a, b) => Number((a as Value[])[0]) - Number((b as Value[])[0])),
    version: 0.4,
  };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** That editor numbers its nodes: one that has another name here gets the next number. */
function numbering(graph: Graph): (id: NodeId) => number {
  let next = Number(freshId(graph));
  const numbers = new Map<NodeId, number>();
  for (const id of graph.nodes.keys()) numbers.set(id, /^(0|[1-9]\d{0,8})$/.test(id) ? Number(id) : next++);
  return (id) => numbers.get(id) ?? -1;
}

function widgetValues(node: GraphNode, kind: NodeKind): Value {
  if (node.sockets) {
    const names = Object.keys(node.values);
    return names.every((name, at) => name === `#${at + 1}`) ? Object.values(node.values) : { ...node.values };
  }
  return kind.inputs.flatMap((input): Value[] => {
    const { name, widget } = input;
    if (!widget) return [];
    const value = node.values[name] ?? initialValue(widget);
    if (mayChange(input)) return [value, node.afterRun?.[name] ?? 'fixed'];
    return widget.kind === 'choice' && widget.upload ? [value, 'image'] : [value];
  });
}
