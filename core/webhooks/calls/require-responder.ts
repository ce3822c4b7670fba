/** Whether the node that is to answer a call is there, and no other. */

import { type Workflow, WorkflowGraph, type WorkflowNode } from '#core/workflow-format';
import type { RunServices } from '../engine/run/run-services.ts';
import type { WebhookCall } from './webhook-call.ts';
import { settingsOf } from './webhook-options.ts';

/** The workflow cannot answer as its Webhook node says. */
export class Misconfigured extends Error {
  override name = 'Misconfigured';
}

const WEBHOOK = 'n8n-nodes-base.webhook';
const RESPOND = 'n8n-nodes-base.respondToWebhook';
const checked = new WeakMap<WorkflowNode, { workflow: Workflow; problem: string | undefined }>();

/** Throws `Misconfigured`. */
export function requireResponder(
  { workflow, node }: Pick<WebhookCall, 'workflow' | 'node'>,
  services: Pick<RunServices, 'nodeType'>,
): void {
  let known = checked.get(node);
  if (known?.workflow !== workflow) {
    known = { workflow, problem: findProblem(workflow, node, services) };
    checked.set(node, known);
  }
  if (known.problem) throw new Misconfigured(known.problem);
}

function findProblem(
  workflow: Workflow,
  node: WorkflowNode,
  services: Pick<RunServices, 'nodeType'>,
): string | undefined {
  if (node.type !== WEBHOOK || node.typeVersion < 2) return undefined;
  const mode = settingsOf(node, services).get('responseMode');
  if (mode === 'streaming') return undefined;
  const graph = new WorkflowGraph(workflow);
  const found = [...graph.descendants(node.name)].some((name) => graph.node(name)?.type === RESPOND);
  if (mode === 'responseNode') return found ? undefined : 'No Respond to Webhook node found in the workflow';
  return found ? 'Unused Respond to Webhook node found in the workflow' : undefined;
}
