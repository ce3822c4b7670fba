import { type Workflow, WorkflowGraph, type WorkflowNode } from '#core/workflow-format';
import { CallError } from '../errors.ts';
import type { WebhookCall } from './webhook-call.ts';

/** The workflow cannot respond in the way that its Webhook node says. */
export class Misconfigured extends CallError {
  override name = 'Misconfigured';
  constructor(message: string) {
    super(500, message, { code: 0 });
  }
}

const WEBHOOK = 'n8n-nodes-base.webhook';
const RESPOND = 'n8n-nodes-base.respondToWebhook';
const checked = new WeakMap<WorkflowNode, { workflow: Workflow; fault: string | undefined }>();

/**
 * Checks that the responder exists if the Webhook node names one, and does not exist otherwise.
 * @throws Misconfigured
 */
export function requireResponder(call: Pick<WebhookCall, 'workflow' | 'node' | 'options'>): void {
  const { workflow, node } = call;
  let result = checked.get(node);
  if (result?.workflow !== workflow) {
    result = { workflow, fault: findFault(call) };
    checked.set(node, result);
  }
  if (result.fault) throw new Misconfigured(result.fault);
}

function findFault({
  workflow,
  node,
  options: { responseMode },
}: Pick<WebhookCall, 'workflow' | 'node' | 'options'>): string | undefined {
  if (node.type !== WEBHOOK || node.typeVersion < 2 || responseMode === 'streaming') return undefined;
  const graph = new WorkflowGraph(workflow);
  const found = [...graph.descendants(node.name)].some((name) => graph.node(name)?.type === RESPOND);
  if (responseMode === 'responseNode') {
    return found ? undefined : 'No Respond to Webhook node found in the workflow';
  }
  return found ? 'Unused Respond to Webhook node found in the workflow' : undefined;
}
