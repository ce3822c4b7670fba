/** The graph of a prompt, as it was sent and as it runs. */
import { isPythonObject, type PythonObject, type PythonValue } from '../python/python-value.ts';

export type NodeId = string;

export interface GraphNode {
  readonly id: NodeId;
  readonly className: string;
  /** undefined: the node has no `inputs` at all. */
  readonly inputs: PythonObject | undefined;
}

/** In the order in which they were sent. */
export type Graph = ReadonlyMap<NodeId, GraphNode>;

export interface Link {
  node: NodeId;
  slot: number;
}

/** What is wrong with a prompt as a whole; the answer is 400. */
export class PromptRefused extends Error {
  override name = 'PromptRefused';
  constructor(
    readonly type: string,
    message: string,
    readonly details = '',
    readonly nodeErrors: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** At most so many nodes; a graph of 5,000 is honest. */
const MAX_NODES = 100_000;

/** Reads what `prompt` holds. Throws `PromptRefused`. */
export function readGraph(value: PythonValue): Graph {
  if (Array.isArray(value) && value.length === 0) return new Map();
  if (!isPythonObject(value))
    throw new PromptRefused(
      'invalid_prompt',
      'The prompt is not an object of nodes by their ids.',
      'Export the workflow in the API format: File, Export (API).',
    );
  if (isInterfaceFormat(value))
    throw new PromptRefused(
      'invalid_prompt',
      'This is a workflow as the editor saves it, not one in the API format.',
      'Open it in the editor, choose File, Export (API), and send what that gives as "prompt".',
    );
  if (value.size > MAX_NODES)
    throw new PromptRefused('invalid_prompt', `A prompt may have at most ${MAX_NODES} nodes.`);
  const graph = new Map<NodeId, GraphNode>();
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

function isInterfaceFormat(value: PythonObject): boolean {
  return (
    Array.isArray(value.get('nodes')) && (Array.isArray(value.get('links')) || value.has('last_node_id'))
  );
}

/** A list is a link, whatever it holds; a list that is meant as a value comes wrapped in `__value__`. */
export function asLink(value: PythonValue | undefined): Link | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [node, slot] = value;
  if (typeof node !== 'string') return undefined;
  if (typeof slot !== 'bigint' && typeof slot !== 'number') return undefined;
  return { node, slot: Number(slot) };
}

/** Links of a node by input name. */
export function linksOf(node: GraphNode): [input: string, link: Link][] {
  return [...(node.inputs ?? [])].flatMap(([name, value]): [string, Link][] => {
    const link = asLink(value);
    return link ? [[name, link]] : [];
  });
}
