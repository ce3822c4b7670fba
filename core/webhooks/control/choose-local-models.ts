/** Imported workflows name credentials of the server that they come from. Without them, the local model answers. */
import { nodeSettings, type Workflow, type WorkflowNode } from '#core/workflow-format';
import type { CredentialStore } from '../credentials/credential-store.ts';
import type { NodeType } from '../node-api/node-type.ts';

/** The workflow, with "Use the Local Model" in each model node whose credential does not exist here. */
export async function chooseLocalModels(
  workflow: Workflow,
  { credentials, nodeType }: { credentials: CredentialStore; nodeType(name: string): NodeType | undefined },
): Promise<Workflow> {
  const choosable = workflow.nodes.filter((node) => mayBeLocal(node, nodeType(node.type)));
  if (choosable.length === 0) return workflow;
  const stored = await credentials.list();
  const exists = (type: string, name: string | undefined) =>
    stored.some((credential) => credential.type === type && credential.name === name);
  const local = choosable.filter((node) =>
    (nodeType(node.type)?.credentials ?? []).every(
      ({ type }) => !exists(type, node.credentials?.[type]?.name),
    ),
  );
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) => (local.includes(node) ? localNode(node) : node)),
  };
}

function localNode(node: WorkflowNode): WorkflowNode {
  return { ...node, parameters: { ...node.parameters, useLocalModel: true } };
}

function mayBeLocal(node: WorkflowNode, type: NodeType | undefined): boolean {
  const { parameters, disabled } = node;
  const hasChoice = type?.parameters.some(({ name }) => name === 'useLocalModel') === true;
  if (!type || !hasChoice || disabled || parameters.useLocalModel !== undefined) return false;
  // Not all operations of a service can be done by a model of this server.
  const issuesOf = (changed: WorkflowNode) => type.issues?.(nodeSettings(type, changed)).length ?? 0;
  return issuesOf(localNode(node)) <= issuesOf(node);
}
