/** The format in which ComfyUI's editor saves: nodes with positions, numbered links, widget values as a list. */

import {
  type AfterRun,
  type Graph,
  type GraphNode,
  type Group,
  type Link,
  type NodeId,
  nextNodeId,
  topologicalOrder,
} from '#web/app/graph-editor/graph/graph.ts';
import { groupsOf } from '#web/app/graph-editor/graph/group.ts';
import { type ExactJsonObject, isJsonObject, type JsonValue } from '#web/app/graph-editor/graph/value.ts';
import { kindOf } from '#web/app/graph-editor/nodes/kind-of.ts';
import { nodeGeometry } from '#web/app/graph-editor/nodes/node-geometry.ts';
import {
  type InputKind,
  initialValue,
  type NodeKind,
  type NodeKinds,
} from '#web/app/graph-editor/nodes/node-kind.ts';
import { withoutGroupNodes } from './group-nodes.ts';
import { asList, readPair, withoutFields } from './saved-fields.ts';
import { flattenSubgraphs } from './subgraphs.ts';

const AFTER_RUN: readonly string[] = ['fixed', 'increment', 'decrement', 'randomize'] satisfies AfterRun[];
const MUTED = 2;
const BYPASSED = 4;
const MOST_NESTED_CHOICES = 5;
/** Fields of a node that the editor writes. All others are written back unchanged. */
const NODE_FIELDS = new Set('id type title pos size mode order inputs outputs widgets_values'.split(' '));
/** Fields of a graph that the editor writes. Bends of wires are dropped, because they refer to the old link numbers. */
const FIELDS = new Set(
  'nodes links groups definitions state reroutes floatingLinks last_node_id last_link_id version'.split(' '),
);
const EXTRA = new Set(['reroutes', 'linkExtensions']);
const GROUP_FIELDS = new Set(['title', 'bounding', 'color']);

export function isSavedFormat(value: JsonValue): value is ExactJsonObject & { nodes: JsonValue[] } {
  return isJsonObject(value) && Array.isArray(value.nodes);
}

/**
 * Reads a saved graph. Subgraphs and group nodes are flattened. Reroutes and primitives, which the server does not know, are replaced by
 * the links and values that they pass on. Throws `ApiClientError` for a recursive subgraph.
 */
export function readSavedFormat(value: ExactJsonObject & { nodes: JsonValue[] }, kinds: NodeKinds): Graph {
  const flat = flattenSubgraphs(withoutGroupNodes(value));
  const saved = new Map<NodeId, ExactJsonObject>();
  for (const node of flat.nodes)
    if (node.id !== undefined && typeof node.type === 'string') saved.set(String(node.id), node);
  const sources = new Map(flat.links.map((link) => [link.id, link]));
  const nodes = new Map<NodeId, GraphNode>();
  const links: Link[] = [];
  for (const [id, node] of saved) {
    if (node.type === 'Reroute' || node.type === 'PrimitiveNode') continue;
    const read = readNode(id, node, kinds);
    const values = { ...read.values, ...flat.overrides.get(id) };
    const afterRun = { ...read.afterRun };
    for (const input of asList(node.inputs)) {
      if (!isJsonObject(input) || typeof input.name !== 'string') continue;
      const source = sourceBehindReroutes(saved, sources, input.link);
      const origin = source && saved.get(source.from);
      if (!source || !origin) continue;
      if (origin.type !== 'PrimitiveNode') {
        links.push({ from: source.from, output: source.output, to: id, input: input.name });
        continue;
      }
      const [primitive, after] = asList(origin.widgets_values);
      if (primitive !== undefined && primitive !== null) values[input.name] = primitive;
      if (typeof after === 'string' && AFTER_RUN.includes(after)) afterRun[input.name] = after as AfterRun;
    }
    nodes.set(id, { ...read, values, ...(Object.keys(afterRun).length > 0 && { afterRun }) });
  }
  const extraFields = withoutFields(value, FIELDS);
  if (isJsonObject(extraFields.extra)) extraFields.extra = withoutFields(extraFields.extra, EXTRA);
  const groups = flat.groups.flatMap(readGroup);
  return {
    nodes,
    links,
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extraFields).length > 0 && { extraFields }),
  };
}

function readGroup(group: ExactJsonObject, at: number): Group[] {
  const [x, y, width, height] = asList(group.bounding).map(Number);
  if (![x, y, width, height].every(Number.isFinite)) return [];
  return [
    {
      id: `g${at + 1}`,
      title: typeof group.title === 'string' ? group.title : '',
      ...(typeof group.color === 'string' && { color: group.color }),
      x: x!,
      y: y!,
      width: width!,
      height: height!,
      extraFields: withoutFields(group, GROUP_FIELDS),
    },
  ];
}

const savedGroup = ({ title, color, x, y, width, height, extraFields }: Group): ExactJsonObject => ({
  ...extraFields,
  title,
  bounding: [x, y, width, height],
  ...(color !== undefined && { color }),
});

function readNode(id: NodeId, node: ExactJsonObject, kinds: NodeKinds): GraphNode {
  const type = node.type as string;
  const kind = kinds.get(type);
  const { values, afterRun } = kind
    ? readGrowingWidgets(type, kind, node.widgets_values, kinds)
    : valuesByIndex(node.widgets_values);
  const sockets = (ports: JsonValue | undefined) =>
    asList(ports).flatMap((port) =>
      isJsonObject(port) && typeof port.name === 'string'
        ? [{ name: port.name, socket: typeof port.type === 'string' ? port.type : '*' }]
        : [],
    );
  const width = readPair(node.size)?.[0];
  return {
    id,
    type,
    x: Math.round(readPair(node.pos)?.[0] ?? 0),
    y: Math.round(readPair(node.pos)?.[1] ?? 0),
    ...(width !== undefined && { width: Math.round(width) }),
    values,
    ...(afterRun && { afterRun }),
    ...(typeof node.title === 'string' && node.title !== kind?.title && { title: node.title }),
    ...(node.mode === MUTED && { mode: 'muted' as const }),
    ...(node.mode === BYPASSED && { mode: 'bypassed' as const }),
    ...(!kind && { sockets: { inputs: sockets(node.inputs), outputs: sockets(node.outputs) } }),
    extraFields: withoutFields(node, NODE_FIELDS),
  };
}

/** Reads the widgets again while their values bring more of them: a choice comes before the widgets that follow from it. */
function readGrowingWidgets(
  type: string,
  firstKind: NodeKind,
  saved: JsonValue | undefined,
  kinds: NodeKinds,
): ReturnType<typeof readWidgets> {
  let kind = firstKind;
  let read = readWidgets(kind, saved);
  for (let left = MOST_NESTED_CHOICES; left > 0; left--) {
    const next = kinds.forNode?.({ id: '', type, x: 0, y: 0, values: read.values }) ?? kind;
    if (next.inputs === kind.inputs) break;
    kind = next;
    read = readWidgets(kind, saved);
  }
  return read;
}

/** Values are in the order of the widgets. A seed is followed by its after-run value, a file by its upload button. */
function readWidgets(
  kind: NodeKind,
  saved: JsonValue | undefined,
): { values: ExactJsonObject; afterRun?: Record<string, AfterRun> } {
  const values: ExactJsonObject = {};
  const afterRun: Record<string, AfterRun> = {};
  const byName = isJsonObject(saved) ? saved : undefined;
  const row = asList(saved);
  let at = 0;
  for (const input of kind.inputs) {
    const { name, widget } = input;
    if (!widget) continue;
    const stored = byName ? byName[name] : row[at++];
    values[name] = stored === undefined || stored === null ? initialValue(widget) : stored;
    const next = row[at];
    const after = hasAfterRunValue(input) ? afterRunOf(next) : undefined;
    if (after) {
      afterRun[name] = after;
      at++;
    }
    if (widget.kind === 'choice' && widget.upload && row[at] === 'image') at++;
  }
  return { values, ...(Object.keys(afterRun).length > 0 && { afterRun }) };
}

/** Old files have a Boolean: whether the value changes at random. Their default graph is still in use. */
function afterRunOf(value: JsonValue | undefined): AfterRun | undefined {
  if (typeof value === 'boolean') return value ? 'randomize' : 'fixed';
  return typeof value === 'string' && AFTER_RUN.includes(value) ? (value as AfterRun) : undefined;
}

const hasAfterRunValue = ({ name, widget }: InputKind): boolean =>
  widget?.kind === 'integer' && (widget.changesAfterRun === true || name === 'seed' || name === 'noise_seed');

/** Values of an unknown kind, named by their index. */
function valuesByIndex(saved: JsonValue | undefined): { values: ExactJsonObject; afterRun?: undefined } {
  if (isJsonObject(saved)) return { values: saved };
  return { values: Object.fromEntries(asList(saved).map((value, at) => [`#${at + 1}`, value])) };
}

function sourceBehindReroutes(
  saved: ReadonlyMap<NodeId, ExactJsonObject>,
  sources: ReadonlyMap<string, { from: NodeId; output: number }>,
  link: JsonValue | undefined,
): { from: NodeId; output: number } | undefined {
  let id: JsonValue | undefined = link;
  for (let left = saved.size; left >= 0; left--) {
    const source = id === undefined || id === null ? undefined : sources.get(String(id));
    const node = source && saved.get(source.from);
    if (node?.type !== 'Reroute') return source;
    const [input] = asList(node.inputs);
    id = isJsonObject(input) ? input.link : undefined;
  }
  return undefined;
}

export function toSavedFormat(graph: Graph, kinds: NodeKinds): ExactJsonObject {
  const numbers = new Map(graph.links.map((link, at) => [link, at + 1]));
  const order = new Map(topologicalOrder(graph).map(({ id }, at) => [id, at]));
  const [into, outOf] = [groupBy(graph.links, ({ to }) => to), groupBy(graph.links, ({ from }) => from)];
  const savedId = numericIds(graph);
  const typeOf = (socket: string) => (socket.startsWith('[') ? 'COMBO' : socket);
  const rows: JsonValue[] = [];
  const nodes = [...graph.nodes.values()].map((node): ExactJsonObject => {
    const kind = kindOf(kinds, node, graph);
    const { width, height } = nodeGeometry(kind, node);
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
      ...node.extraFields,
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
    ...graph.extraFields,
    groups: groupsOf(graph).map(savedGroup),
    last_node_id: Math.max(0, ...nodes.map(({ id }) => Number(id))),
    last_link_id: graph.links.length,
    nodes,
    links: rows.sort((a, b) => Number((a as JsonValue[])[0]) - Number((b as JsonValue[])[0])),
    version: 0.4,
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** ComfyUI's editor requires numeric ids: a node with another id gets the next number. */
function numericIds(graph: Graph): (id: NodeId) => number {
  let next = Number(nextNodeId(graph));
  const numbers = new Map<NodeId, number>();
  for (const id of graph.nodes.keys()) numbers.set(id, /^(0|[1-9]\d{0,8})$/.test(id) ? Number(id) : next++);
  return (id) => numbers.get(id) ?? -1;
}

function widgetValues(node: GraphNode, kind: NodeKind): JsonValue {
  if (node.sockets) {
    const names = Object.keys(node.values);
    return names.every((name, at) => name === `#${at + 1}`) ? Object.values(node.values) : { ...node.values };
  }
  return kind.inputs.flatMap((input): JsonValue[] => {
    const { name, widget } = input;
    if (!widget) return [];
    const value = node.values[name] ?? initialValue(widget);
    if (hasAfterRunValue(input)) return [value, node.afterRun?.[name] ?? 'fixed'];
    return widget.kind === 'choice' && widget.upload ? [value, 'image'] : [value];
  });
}
