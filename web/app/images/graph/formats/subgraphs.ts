/**
 * Flattens subgraphs of newer saved files, as ComfyUI's editor does before a run. A node whose type is the id of a
 * definition is replaced by the definition's nodes. Node 3 in node 10 becomes `10:3`.
 */
import { ApiClientError } from '#web/app/api-client.ts';
import { frameAround } from '#web/app/graph-editor/graph/group.ts';
import { type ExactJsonObject, isJsonObject, type JsonValue } from '#web/app/graph-editor/graph/value.ts';
import { graphStrings } from '#web/app/graph-editor/strings.ts';
import { asList, objectsIn, readLinks, readPair, type SavedLink } from './saved-fields.ts';

/** Default ids of the nodes for a definition's inputs and outputs. */
const INPUTS = '-10';
const OUTPUTS = '-20';
const MUTED = 2;
const BYPASSED = 4;
/** Limit of the flattened graph: nested definitions can multiply. */
const MAX_NODES = 20_000;

export interface FlatGraph {
  nodes: ExactJsonObject[];
  links: SavedLink[];
  groups: ExactJsonObject[];
  /** Values set at a subgraph's node, by the id of the inner node and its input. */
  overrides: ReadonlyMap<string, ExactJsonObject>;
}

type Source = Pick<SavedLink, 'from' | 'output'>;

interface Definition {
  name: string;
  nodes: ExactJsonObject[];
  links: SavedLink[];
  groups: ExactJsonObject[];
  inputs: ExactJsonObject[];
  entry: string;
  exit: string;
}

export function flattenSubgraphs(value: ExactJsonObject): FlatGraph {
  const definitions = readDefinitions(value.definitions);
  const flat = {
    nodes: objectsIn(value.nodes),
    links: readLinks(value.links),
    groups: objectsIn(value.groups),
    overrides: new Map<string, ExactJsonObject>(),
  };
  if (definitions.size === 0) return flat;
  const open: { id: string; inside: readonly string[] }[] = flat.nodes.map(({ id }) => ({
    id: String(id),
    inside: [],
  }));
  for (let at = open.shift(); at; at = open.shift()) {
    const node = flat.nodes.find(({ id }) => String(id) === at.id);
    const type = String(node?.type);
    const definition = definitions.get(type);
    if (!node || !definition) continue;
    if (at.inside.includes(type) || flat.nodes.length > MAX_NODES)
      throw new ApiClientError(graphStrings.subgraphInItself(definition.name));
    for (const id of expand(flat, node, definition)) open.push({ id, inside: [...at.inside, type] });
  }
  return flat;
}

function readDefinitions(value: JsonValue | undefined): Map<string, Definition> {
  const subgraphs = isJsonObject(value) ? objectsIn(value.subgraphs) : [];
  const idOf = (node: JsonValue | undefined, usual: string) =>
    isJsonObject(node) && node.id !== undefined ? String(node.id) : usual;
  return new Map(
    subgraphs.map((subgraph) => [
      String(subgraph.id),
      {
        name: typeof subgraph.name === 'string' ? subgraph.name : '',
        nodes: objectsIn(subgraph.nodes),
        links: readLinks(subgraph.links),
        groups: objectsIn(subgraph.groups),
        inputs: objectsIn(subgraph.inputs),
        entry: idOf(subgraph.inputNode, INPUTS),
        exit: idOf(subgraph.outputNode, OUTPUTS),
      },
    ]),
  );
}

/** Replaces a node by its definition's nodes. Returns the ids of the new nodes. */
function expand(flat: FlatGraph, node: ExactJsonObject, definition: Definition): string[] {
  const id = String(node.id);
  const own = (inner: string) => `${id}:${inner}`;
  const inputs = objectsIn(node.inputs);
  const inputAt = (slot: number) => {
    const name = definition.inputs[slot]?.name;
    const found = inputs.find((input) => input.name === name);
    // Newer files leave out inputs with widgets, so that an index means another input than in the definition.
    const isAnother = definition.inputs.some((input) => input.name === inputs[slot]?.name);
    return found ?? (isAnother ? undefined : inputs[slot]);
  };
  const into = (slot: number): Source | undefined => {
    const link = inputAt(slot)?.link;
    return link === undefined || link === null
      ? undefined
      : flat.links.find((each) => each.id === String(link));
  };
  const sourceOf = (link: SavedLink | undefined): Source | undefined =>
    link &&
    (link.from === definition.entry ? into(link.output) : { from: own(link.from), output: link.output });
  const outOf = (slot: number): Source | undefined =>
    node.mode === BYPASSED
      ? bypass(node, slot, into)
      : sourceOf(definition.links.find(({ to, input }) => to === definition.exit && input === slot));

  const links: SavedLink[] = [];
  for (const link of flat.links) {
    if (link.to === id) continue;
    const source = link.from === id ? outOf(link.output) : link;
    if (source) links.push({ ...link, from: source.from, output: source.output });
  }
  const instance = instanceValues(node, definition, flat.overrides.get(id));
  const overrides = new Map(flat.overrides);
  overrides.delete(id);
  for (const [inner, values] of instance.inside) overrides.set(own(inner), values);
  for (const link of definition.links) {
    if (link.to === definition.exit) continue;
    const source = sourceOf(link);
    const to = own(link.to);
    if (source) links.push({ ...link, id: own(link.id), to, from: source.from, output: source.output });
    const name = inputAt(link.output)?.name ?? definition.inputs[link.output]?.name;
    if (source || link.from !== definition.entry || typeof name !== 'string') continue;
    const value = instance.inputs[name];
    const target = definition.nodes.find((each) => String(each.id) === link.to);
    const input = objectsIn(target?.inputs)[link.input]?.name;
    if (value !== undefined && typeof input === 'string')
      overrides.set(to, { ...overrides.get(to), [input]: value });
  }
  const remaining = new Set(links.map((link) => link.id));
  const inner = definition.nodes.map((each): ExactJsonObject => {
    const inherited: ExactJsonObject =
      node.mode === MUTED || node.mode === BYPASSED ? { mode: node.mode } : {};
    const linked = objectsIn(each.inputs).map((input): ExactJsonObject => {
      const link = input.link === undefined || input.link === null ? undefined : own(String(input.link));
      return { ...input, link: link !== undefined && remaining.has(link) ? link : null };
    });
    return { ...each, ...inherited, id: own(String(each.id)), inputs: linked };
  });
  const outside = flat.nodes
    .filter((each) => each !== node)
    .map(
      (each): ExactJsonObject => ({
        ...each,
        inputs: objectsIn(each.inputs).map((input) =>
          input.link !== null && input.link !== undefined && !remaining.has(String(input.link))
            ? { ...input, link: null }
            : input,
        ),
      }),
    );
  const title = typeof node.title === 'string' ? node.title : definition.name;
  const placed = placeInstance(node, title, inner, definition.groups, outside, flat.groups);
  Object.assign(flat, { links, overrides, ...placed });
  return inner.map((each) => String(each.id));
}

/** The source that a bypassed node passes on: of the input with the same index and type, else of the first with it. */
function bypass(
  node: ExactJsonObject,
  slot: number,
  into: (slot: number) => Source | undefined,
): Source | undefined {
  const type = objectsIn(node.outputs)[slot]?.type;
  const inputs = objectsIn(node.inputs);
  const same = inputs[slot]?.type === type ? slot : inputs.findIndex((input) => input.type === type);
  return same < 0 ? undefined : into(same);
}

/** Values set at a subgraph's node: of its inputs by name, and of widgets of inner nodes. */
function instanceValues(
  node: ExactJsonObject,
  definition: Definition,
  inherited: ExactJsonObject = {},
): { inputs: ExactJsonObject; inside: Map<string, ExactJsonObject> } {
  const inputs: ExactJsonObject = {};
  const inside = new Map<string, ExactJsonObject>();
  const values = asList(node.widgets_values);
  const shown = isJsonObject(node.properties) ? asList(node.properties.proxyWidgets) : [];
  const shownInputs = objectsIn(node.inputs).filter(({ widget }) => isJsonObject(widget));
  const named = shownInputs.length === values.length ? shownInputs : inputsWithWidgets(definition);
  if (shown.length > 0 && shown.length === values.length) {
    for (const [at, entry] of shown.entries()) {
      const [id, name] = asList(entry);
      const value = values[at];
      if (typeof name !== 'string' || value === undefined || value === null) continue;
      if (String(id) === '-1') inputs[name] = value;
      else inside.set(String(id), { ...inside.get(String(id)), [name]: value });
    }
  } else if (named.length === values.length) {
    for (const [at, { name }] of named.entries()) {
      const value = values[at];
      if (typeof name === 'string' && value !== undefined && value !== null) inputs[name] = value;
    }
  }
  return { inputs: { ...inputs, ...inherited }, inside };
}

/** The inputs of a definition that lead to widgets of its nodes. */
const inputsWithWidgets = ({ inputs, links, nodes, entry }: Definition): ExactJsonObject[] =>
  inputs.filter((_, slot) =>
    links.some(({ from, output, to, input }) => {
      if (from !== entry || output !== slot) return false;
      const target = nodes.find(({ id }) => String(id) === to);
      return isJsonObject(objectsIn(target?.inputs)[input]?.widget);
    }),
  );

const areaOf = (each: ExactJsonObject) => {
  const [x, y] = readPair(each.pos) ?? [0, 0];
  const [width, height] = readPair(each.size) ?? [270, 100];
  return { x, y, width, height };
};

/** Places the inner nodes in a group at the node's position, and moves other nodes away. */
function placeInstance(
  node: ExactJsonObject,
  title: string,
  inner: ExactJsonObject[],
  innerGroups: ExactJsonObject[],
  outside: ExactJsonObject[],
  groups: ExactJsonObject[],
): Pick<FlatGraph, 'nodes' | 'groups'> {
  if (inner.length === 0) return { nodes: outside, groups };
  const frame = frameAround(inner.map(areaOf));
  const at = areaOf(node);
  const [dx, dy] = [at.x - frame.x, at.y - frame.y];
  const moved = (each: ExactJsonObject, x: number, y: number): ExactJsonObject => {
    const area = areaOf(each);
    return { ...each, pos: [area.x + x, area.y + y] };
  };
  const movedGroup = (each: ExactJsonObject, x: number, y: number): ExactJsonObject => {
    const [left, top, ...size] = asList(each.bounding);
    return typeof left === 'number' && typeof top === 'number'
      ? { ...each, bounding: [left + x, top + y, ...size] }
      : each;
  };
  const [wider, higher] = [Math.max(0, frame.width - at.width), Math.max(0, frame.height - at.height)];
  const room = (x: number, y: number): [number, number] =>
    x >= at.x + at.width ? [wider, 0] : y >= at.y + at.height ? [0, higher] : [0, 0];
  const bounding = [at.x, at.y, frame.width, frame.height];
  return {
    nodes: [
      ...outside.map((each) => moved(each, ...room(areaOf(each).x, areaOf(each).y))),
      ...inner.map((each) => moved(each, dx, dy)),
    ],
    groups: [
      ...groups.map((each) => {
        const [x, y] = asList(each.bounding);
        return movedGroup(each, ...room(Number(x), Number(y)));
      }),
      { title, bounding },
      ...innerGroups.map((each) => movedGroup(each, dx, dy)),
    ],
  };
}
