/** The format in which ComfyUI's editor saves: nodes with places, links by number, values of widgets as a list. */
import { geometryOf } from '../../graph-editor/model/geometry.ts';
import {
  type AfterRun,
  type Graph,
  type GraphNode,
  inOrder,
  type Link,
  type NodeId,
} from '../../graph-editor/model/graph.ts';
import { kindOf } from '../../graph-editor/model/kind-of.ts';
import {
  type InputKind,
  initialValue,
  type NodeKind,
  type NodeKinds,
} from '../../graph-editor/model/node-kind.ts';
import { type Fields, isFields, type Value } from '../../graph-editor/model/value.ts';

const AFTER_RUN: readonly string[] = ['fixed', 'increment', 'decrement', 'randomize'] satisfies AfterRun[];
const MUTED = 2;
const BYPASSED = 4;
/** Fields of a node that are written anew; all others are kept as they came. */
const NODE_FIELDS = new Set('id type title pos size mode order inputs outputs widgets_values'.split(' '));
const FIELDS = new Set('nodes links last_node_id last_link_id version'.split(' '));

export function isSavedFormat(value: Value): value is Fields & { nodes: Value[] } {
  return isFields(value) && Array.isArray(value.nodes);
}

/** Reroutes and primitives, which only that editor knows, are resolved: what they hand on stands where it goes. */
export function fromSaved(value: Fields & { nodes: Value[] }, kinds: NodeKinds): Graph {
  const saved = new Map<NodeId, Fields>();
  for (const node of value.nodes)
    if (isFields(node) && node.id !== undefined && typeof node.type === 'string')
      saved.set(String(node.id), node);
  const sources = readLinks(value.links);
  const nodes = new Map<NodeId, GraphNode>();
  const links: Link[] = [];
  for (const [id, node] of saved) {
    if (node.type === 'Reroute' || node.type === 'PrimitiveNode') continue;
    const read = readNode(id, node, kinds);
    const values = { ...read.values };
    const afterRun = { ...read.afterRun };
    for (const input of list(node.inputs)) {
      if (!isFields(input) || typeof input.name !== 'string') continue;
      const source = pastReroutes(saved, sources, input.link);
      const origin = source && saved.get(source.from);
      if (!source || !origin) continue;
      if (origin.type !== 'PrimitiveNode') {
        links.push({ ...source, to: id, input: input.name });
        continue;
      }
      const [given, after] = list(origin.widgets_values);
      if (given !== undefined && given !== null) values[input.name] = given;
      if (typeof after === 'string' && AFTER_RUN.includes(after)) afterRun[input.name] = after as AfterRun;
    }
    nodes.set(id, { ...read, values, ...(Object.keys(afterRun).length > 0 && { afterRun }) });
  }
  const kept = rest(value, FIELDS);
  return { nodes, links, ...(Object.keys(kept).length > 0 && { kept }) };
}

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

/** What each link begins at. */
function readLinks(links: Value | undefined): Map<string, { from: NodeId; output: number }> {
  const sources = new Map<string, { from: NodeId; output: number }>();
  for (const link of list(links)) {
    const [id, from, output] = Array.isArray(link)
      ? link
      : isFields(link)
        ? [link.id, link.origin_id, link.origin_slot]
        : [];
    if (id === undefined || from === undefined || typeof output !== 'number') continue;
    sources.set(String(id), { from: String(from), output });
  }
  return sources;
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
  const numbers = new Map([...graph.links].map((link, at) => [link, at + 1]));
  const order = new Map(inOrder(graph).map(({ id }, at) => [id, at]));
  const rows: Value[] = [];
  const nodes = [...graph.nodes.values()].map((node): Fields => {
    const kind = kindOf(kinds, node, graph);
    const { width, height } = geometryOf(kind, node);
    const incoming = graph.links.filter(({ to }) => to === node.id);
    const shown = kind.inputs.filter(
      ({ name, widget }) => !widget || incoming.some(({ input }) => input === name),
    );
    for (const [at, { name }] of shown.entries()) {
      for (const link of incoming.filter(({ input }) => input === name)) {
        const source = graph.nodes.get(link.from);
        const type = source && kindOf(kinds, source, graph).outputs[link.output]?.socket;
        rows.push([
          numbers.get(link)!,
          savedId(link.from),
          link.output,
          savedId(node.id),
          at,
          type?.startsWith('[') ? 'COMBO' : (type ?? '*'),
        ]);
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
          type: socket.startsWith('[') ? 'COMBO' : socket,
          link: link ? numbers.get(link)! : null,
          ...(widget && { widget: { name } }),
        };
      }),
      outputs: kind.outputs.map(({ label, socket }, at) => ({
        name: label,
        type: socket.startsWith('[') ? 'COMBO' : socket,
        links: graph.links
          .filter(({ from, output }) => from === node.id && output === at)
          .map((link) => numbers.get(link)!),
      })),
      widgets_values: widgetValues(node, kind),
    };
  });
  return {
    extra: {},
    groups: [],
    config: {},
    ...graph.kept,
    last_node_id: Math.max(0, ...[...graph.nodes.keys()].map(Number).filter(Number.isSafeInteger)),
    last_link_id: graph.links.length,
    nodes,
    links: rows.sort((a, b) => Number((a as Value[])[0]) - Number((b as Value[])[0])),
    version: 0.4,
  };
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

const savedId = (id: NodeId): Value => (/^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id);

const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

/** `[x, y]` or `{"0": x, "1": y}`. */
function pair(value: Value | undefined): [number, number] | undefined {
  const [x, y] = Array.isArray(value) ? value : isFields(value) ? [value[0], value[1]] : [];
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : undefined;
}

function rest(fields: Fields, known: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)));
}
