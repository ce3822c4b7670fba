import { PromptRefused } from '../errors.ts';
import { expandInputs } from '../nodes/kernel/dynamic-inputs.ts';
import type { AnyNode, Inputs } from '../nodes/kernel/node-type.ts';
import { isPythonObject, type PythonObject, type PythonValue } from '../python/python-value.ts';

export type PromptNodeId = string;

export interface PromptNode {
  readonly id: PromptNodeId;
  readonly className: string;
  /** Undefined: the node has no member `inputs`, or it is no object. */
  readonly inputs: PythonObject | undefined;
}

/** The nodes of a prompt by id, in the order in which the client sent them. */
export type PromptGraph = ReadonlyMap<PromptNodeId, PromptNode>;

/** A value that another node's output supplies. */
export interface PromptLink {
  node: PromptNodeId;
  /** Index of the output. Negative ones count from the last. */
  slot: number;
}

/** Limits the cost of a hostile graph. Graphs of 5,000 nodes are in use. */
const MAX_NODES = 100_000;

/**
 * Reads the member `prompt` of a request.
 * @throws `PromptRefused`
 */
export function readGraph(value: PythonValue): PromptGraph {
  if (Array.isArray(value) && value.length === 0) return new Map();
  if (!isPythonObject(value))
    throw new PromptRefused(
      'invalid_prompt',
      'The prompt is not an object of nodes by their ids.',
      'Export the workflow in the API format: File, Export (API).',
    );
  if (isEditorFormat(value))
    throw new PromptRefused(
      'invalid_prompt',
      'This is a workflow as the editor saves it, not one in the API format.',
      'Open it in the editor, choose File, Export (API), and send the result as "prompt".',
    );
  if (value.size > MAX_NODES)
    throw new PromptRefused('invalid_prompt', `A prompt may have at most ${MAX_NODES} nodes.`);
  const graph = new Map<PromptNodeId, PromptNode>();
  for (const [id, node] of value) {
    const className = isPythonObject(node) ? node.get('class_type') : undefined;
    if (typeof className !== 'string' || !isPythonObject(node))
      throw new PromptRefused(
        'invalid_prompt',
        'Cannot execute because a node is missing the class_type property.',
        `Node ID '#${id}'`,
      );
    const inputs = node.get('inputs');
    graph.set(id, { id, className, inputs: isPythonObject(inputs) ? inputs : undefined });
  }
  return graph;
}

/** The editor's own files hold lists of nodes and links. */
function isEditorFormat(value: PythonObject): boolean {
  return (
    Array.isArray(value.get('nodes')) && (Array.isArray(value.get('links')) || value.has('last_node_id'))
  );
}

/** `[node id, output index]`. A list that is a literal comes wrapped in `__value__`, so that it is not taken for a link. */
export function asLink(value: PythonValue | undefined): PromptLink | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [node, slot] = value;
  if (typeof node !== 'string') return undefined;
  if (typeof slot !== 'bigint' && typeof slot !== 'number') return undefined;
  return { node, slot: Number(slot) };
}

/** The inputs of a node in a graph by their names there, with the members of groups and variants. */
export const inputsOf = ({ inputs }: PromptNode, type: AnyNode): Inputs =>
  expandInputs(type.inputs as Inputs, inputs ?? new Map());

/** The links of a node by input name. */
export function linksOf(node: PromptNode): [input: string, link: PromptLink][] {
  return [...(node.inputs ?? [])].flatMap(([name, value]): [string, PromptLink][] => {
    const link = asLink(value);
    return link ? [[name, link]] : [];
  });
}
