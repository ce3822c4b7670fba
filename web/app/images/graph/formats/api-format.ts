/** ComfyUI's API format, `{id: {class_type, inputs}}`, which the server runs. It has no positions. */

import {
  type Graph,
  type GraphNode,
  type Link,
  linkInto,
  type NodeId,
} from '#web/app/graph-editor/graph/graph.ts';
import { type ExactJsonObject, isJsonObject, type JsonValue } from '#web/app/graph-editor/graph/value.ts';
import { kindOf } from '#web/app/graph-editor/nodes/kind-of.ts';
import { fieldInputs, socketInputs } from '#web/app/graph-editor/nodes/node-geometry.ts';
import { initialValue, type NodeKind, type NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { fillFileName, pickAlternatives } from './text-values.ts';

export function isApiFormat(value: JsonValue): value is ExactJsonObject {
  if (!isJsonObject(value)) return false;
  const nodes = Object.values(value);
  return nodes.length > 0 && nodes.every((node) => isJsonObject(node) && typeof node.class_type === 'string');
}

/** All nodes have the position 0, 0. */
export function readApiFormat(value: ExactJsonObject, kinds: NodeKinds): Graph {
  const nodes = new Map<NodeId, GraphNode>();
  const links: Link[] = [];
  for (const [id, entry] of Object.entries(value)) {
    if (!isJsonObject(entry) || typeof entry.class_type !== 'string') continue;
    const kind = kinds.get(entry.class_type);
    const values: ExactJsonObject = {};
    for (const { name, widget } of kind?.inputs ?? []) if (widget) values[name] = initialValue(widget);
    for (const [input, inputValue] of Object.entries(isJsonObject(entry.inputs) ? entry.inputs : {})) {
      const link = readLink(inputValue);
      if (link && Object.hasOwn(value, link.from)) links.push({ ...link, to: id, input });
      else if (!link)
        values[input] =
          isJsonObject(inputValue) && '__value__' in inputValue ? inputValue.__value__! : inputValue;
    }
    const title = isJsonObject(entry._meta) ? entry._meta.title : undefined;
    nodes.set(id, {
      id,
      type: entry.class_type,
      x: 0,
      y: 0,
      values,
      ...(typeof title === 'string' && title !== kind?.title && title !== kind?.type && { title }),
    });
  }
  return { nodes, links };
}

/** Leaves out notes, muted nodes and bypassed nodes. Links through bypassed nodes lead to their sources. */
export function toApiFormat(graph: Graph, kinds: NodeKinds): ExactJsonObject {
  const prompt: ExactJsonObject = {};
  for (const node of graph.nodes.values()) {
    const kind = kindOf(kinds, node, graph);
    if (node.mode !== undefined || kind.isNote) continue;
    const inputs: ExactJsonObject = {};
    const linked = new Set(graph.links.filter(({ to }) => to === node.id).map(({ input }) => input));
    for (const [name, value] of Object.entries(node.values))
      if (!linked.has(name)) inputs[name] = runValue(graph, kind, name, value);
    // Another choice brings inputs that the node has no values for.
    for (const { name, widget } of kind.inputs)
      if (widget && !linked.has(name)) inputs[name] ??= initialValue(widget);
    for (const input of linked) {
      const source = activeSource(graph, kinds, linkInto(graph, node.id, input)!);
      if (source) inputs[input] = [source.from, source.output];
    }
    prompt[node.id] = {
      inputs,
      class_type: node.type,
      _meta: { title: node.title ?? kind.title },
    };
  }
  return prompt;
}

function runValue(graph: Graph, { inputs }: NodeKind, name: string, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return { __value__: value };
  if (typeof value !== 'string') return value;
  if (name === 'filename_prefix') return fillFileName(value, graph);
  const widget = inputs.find((input) => input.name === name)?.widget;
  return widget?.kind === 'text' && widget.hasAlternatives ? pickAlternatives(value) : value;
}

/** The source of a link behind bypassed nodes. Undefined when a muted or unconnected node is in the way. */
function activeSource(graph: Graph, kinds: NodeKinds, first: Link): Link | undefined {
  let link: Link | undefined = first;
  for (let left = graph.nodes.size; link && left >= 0; left--) {
    const node: GraphNode | undefined = graph.nodes.get(link.from);
    if (!node || node.mode === 'muted') return undefined;
    if (node.mode !== 'bypassed') return link;
    link = bypassedSource(graph, kinds, node, link.output);
  }
  return undefined;
}

/** The link that a bypassed node passes on: of the input with the same index, else of the first matching type. */
function bypassedSource(graph: Graph, kinds: NodeKinds, node: GraphNode, output: number): Link | undefined {
  const kind = kindOf(kinds, node, graph);
  const type = kind.outputs[output]?.socket ?? '*';
  const inputs = [...socketInputs(kind), ...fieldInputs(kind)].filter(({ socket }) => socket !== undefined);
  const fits = (socket: string | undefined) => socket !== undefined && kinds.canConnect(socket, type);
  const same = inputs[output];
  const input =
    type === '*'
      ? (same ?? inputs.at(-1))
      : fits(same?.socket)
        ? same
        : (inputs.find(({ socket }) => socket === type) ?? inputs.find(({ socket }) => fits(socket)));
  return input && linkInto(graph, node.id, input.name);
}

function readLink(value: JsonValue): { from: NodeId; output: number } | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [from, output] = value;
  if (typeof output !== 'number' || (typeof from !== 'string' && typeof from !== 'number')) return undefined;
  return { from: String(from), output };
}
