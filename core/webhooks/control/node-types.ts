/** What the editor needs to know of nodes: which there are, and what can be set on them. */
import { ApiError } from '#core/http';
import { nodeSettings, readWorkflow, type WorkflowNode } from '#core/workflow-format';
import type { NodeType } from '../node-api/node-type.ts';
import { nodeTypes } from '../nodes/index.ts';
import type { ControlCall } from './call.ts';

/** Inputs and outputs are those of a new node; of a node with settings `portsOfNodes` tells. */
export async function listNodeTypes(): Promise<object> {
  return { data: nodeTypes.map(typeJson) };
}

/** For the nodes of a body `{ nodes }`, by name: how many inputs, and the labels of the outputs. */
export async function portsOfNodes(call: ControlCall): Promise<object> {
  const { nodes } = await call.body();
  if (!Array.isArray(nodes)) throw new ApiError(400, "request/body must have required property 'nodes'");
  const { nodeType } = call.engine.services;
  const entries = readWorkflow({ nodes }).nodes.map((node) => {
    const type = nodeType(node.type);
    return [node.name, type ? portsOf(type, node) : null] as const;
  });
  return { data: Object.fromEntries(entries) };
}

function typeJson(type: NodeType): object {
  const { name, label, description, group, versions, parameters, credentials = [] } = type;
  const node: WorkflowNode = {
    id: '',
    name: label,
    type: name,
    typeVersion: versions.at(-1) ?? 1,
    position: [0, 0],
    parameters: {},
  };
  const dynamic = typeof type.inputs === 'function' || typeof type.outputs === 'function';
  return {
    name,
    label,
    description,
    group,
    versions,
    ...portsOf(type, node),
    dynamic,
    parameters,
    credentials,
  };
}

function portsOf(type: NodeType, node: WorkflowNode): { inputs: number; outputs: string[] } {
  const settings = nodeSettings(type, node);
  return {
    inputs: typeof type.inputs === 'function' ? type.inputs(settings) : type.inputs,
    outputs: typeof type.outputs === 'function' ? type.outputs(settings) : type.outputs,
  };
}
