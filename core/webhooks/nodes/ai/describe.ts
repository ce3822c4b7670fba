/** Descriptions of the AI nodes. Their versions and parameters are data: `parameters.json`. */
import type { NodeDescription, Parameter, SubNodeInput } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import table from './parameters.json' with { type: 'json' };

const PREFIX = '@n8n/n8n-nodes-langchain.';

interface Entry {
  label: string;
  versions: number[];
  parameters: Parameter[];
}

const entries = table as unknown as Record<string, Entry>;

type Rest = Partial<NodeDescription> &
  Pick<NodeDescription, 'description'> &
  Partial<Pick<NodeType, 'execute'>>;

/**
 * A node that passes items on.
 * @param name without its package: `agent`
 */
export function rootNode(name: string, rest: Rest & Pick<NodeType, 'execute'>): NodeType {
  return { ...base(name), inputs: 1, outputs: ['main'], ...rest };
}

/** A sub-node. It cannot run without a node that uses it. */
export function subNode(name: string, rest: Rest & Pick<NodeType, 'supplies' | 'supply'>): NodeType {
  return { ...base(name), inputs: 0, outputs: [], execute: refuse, ...rest };
}

function base(name: string): Pick<NodeDescription, 'name' | 'label' | 'group' | 'versions' | 'parameters'> {
  const entry = entries[name];
  if (!entry) throw new Error(`parameters.json has no node ${name}`);
  return { name: PREFIX + name, group: 'model', ...entry };
}

/** The execution of a node that only supplies. */
export const refuse: NodeType['execute'] = async ({ node }) => {
  throw new NodeError(`The node "${node.type}" has a "supplyData" method but no "execute" method.`);
};

/** The input of a node for its model. */
export const modelInput: SubNodeInput = { kind: 'ai_languageModel', label: 'Model', required: true, max: 1 };
export const memoryInput: SubNodeInput = { kind: 'ai_memory', label: 'Memory', max: 1 };
export const toolInput: SubNodeInput = { kind: 'ai_tool', label: 'Tool' };
export const parserInput: SubNodeInput = { kind: 'ai_outputParser', label: 'Output Parser', max: 1 };
export const embeddingInput: SubNodeInput = {
  kind: 'ai_embedding',
  label: 'Embedding',
  required: true,
  max: 1,
};
