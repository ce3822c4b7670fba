import { type Graph, type GraphNode, linkInto, type NodeId } from '../graph/graph.ts';
import type { InputKind, NodeKind, NodeKinds, OutputKind } from './node-kind.ts';

/** The kind of a node. An unknown kind is inferred from the node's values, its links and its file. */
export function kindOf(kinds: NodeKinds, node: GraphNode, graph?: Graph): NodeKind {
  return kinds.forNode?.(node, graph) ?? kinds.get(node.type) ?? inferKind(node, graph);
}

export const isKnown = (kinds: NodeKinds, node: GraphNode): boolean => kinds.get(node.type) !== undefined;

function inferKind(node: GraphNode, graph: Graph | undefined): NodeKind {
  const inputs = new Map<string, InputKind>();
  const add = (name: string, socket: string) =>
    inputs.set(name, { name, label: name, socket, required: false });
  for (const { name, socket } of node.sockets?.inputs ?? []) add(name, socket);
  let outputs: OutputKind[] = (node.sockets?.outputs ?? []).map(({ name, socket }) => ({
    label: name,
    socket,
  }));
  for (const link of graph?.links ?? []) {
    if (link.to === node.id && !inputs.has(link.input)) add(link.input, '*');
    if (link.from !== node.id) continue;
    outputs = [
      ...outputs,
      ...Array.from({ length: Math.max(0, link.output + 1 - outputs.length) }, () => ({
        label: '*',
        socket: '*',
      })),
    ];
  }
  for (const [name, value] of Object.entries(node.values)) {
    if (inputs.has(name)) continue;
    inputs.set(name, {
      name,
      label: name,
      socket: '*',
      required: false,
      widget:
        typeof value === 'boolean'
          ? { kind: 'switch', initial: value }
          : typeof value === 'number' || typeof value === 'bigint'
            ? Number.isInteger(Number(value))
              ? { kind: 'integer', initial: value, step: 1 }
              : { kind: 'number', initial: Number(value), step: 0.01 }
            : { kind: 'text', initial: '', multiline: typeof value === 'string' && value.length > 40 },
    });
  }
  return { type: node.type, title: node.type, category: [], inputs: [...inputs.values()], outputs };
}

/** An output of a node in the graph. */
export interface OutputSocket {
  node: NodeId;
  label: string;
  output: number;
  socket: string;
}

/** All outputs of other nodes whose socket type matches an input. */
export function connectableOutputs(
  graph: Graph,
  kinds: NodeKinds,
  to: GraphNode,
  input: InputKind,
): OutputSocket[] {
  if (input.socket === undefined) return [];
  const inputType = input.socket;
  return [...graph.nodes.values()]
    .filter(({ id }) => id !== to.id)
    .flatMap((node) =>
      kindOf(kinds, node, graph).outputs.flatMap(({ label, socket }, output) =>
        kinds.canConnect(socket, inputType) ? [{ node: node.id, label, output, socket }] : [],
      ),
    );
}

/** The output that is connected to an input, even if its type does not match. */
export function connectedOutput(
  graph: Graph,
  kinds: NodeKinds,
  to: NodeId,
  input: string,
): OutputSocket | undefined {
  const link = linkInto(graph, to, input);
  const node = link && graph.nodes.get(link.from);
  if (!node) return undefined;
  const output = kindOf(kinds, node, graph).outputs[link.output];
  return { node: node.id, output: link.output, label: output?.label ?? '*', socket: output?.socket ?? '*' };
}
