/** Node types for the editor: their ports and their parameters. */
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import { type NodeDescription, nodeSettings, readWorkflow, type WorkflowNode } from '#core/workflow-format';
import { nodeTypes } from '../nodes/index.ts';
import type { WebhookServices } from '../services.ts';
import { readJsonObject } from './request-body.ts';

/** Inputs and outputs are those of a new node. `listPorts` gives those of nodes with settings. */
export function listNodeTypes(): Response {
  return jsonResponse({ data: nodeTypes.map(nodeTypeJson) });
}

/** Answers a body `{ nodes }` with the number of inputs and the labels of the outputs of each node, by its name. */
export async function listPorts({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const { nodes } = await readJsonObject(call);
  if (!Array.isArray(nodes)) throw new ApiError(400, "request/body must have required property 'nodes'");
  const entries = readWorkflow({ nodes }).nodes.map((node) => {
    const type = engine.services.nodeType(node.type);
    return [node.name, type ? ports(type, node) : null] as const;
  });
  return jsonResponse({ data: Object.fromEntries(entries) });
}

function nodeTypeJson(type: NodeDescription): object {
  const { name, label, description, group, versions, parameters, credentials = [] } = type;
  const newNode: WorkflowNode = {
    id: '',
    name: label,
    type: name,
    typeVersion: versions.at(-1) ?? 1,
    position: [0, 0],
    parameters: {},
  };
  return {
    name,
    label,
    description,
    group,
    versions,
    ...ports(type, newNode),
    dynamic: typeof type.inputs === 'function' || typeof type.outputs === 'function',
    parameters,
    credentials,
  };
}

function ports(type: NodeDescription, node: WorkflowNode): { inputs: number; outputs: string[] } {
  const settings = nodeSettings(type, node);
  return {
    inputs: typeof type.inputs === 'function' ? type.inputs(settings) : type.inputs,
    outputs: typeof type.outputs === 'function' ? type.outputs(settings) : type.outputs,
  };
}
