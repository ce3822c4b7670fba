/** Workflows: published, listened to, and run by hand. */
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import type { Workflow } from '#core/workflow-format';
import type { WorkflowRunServices } from '../engine/run/run-services.ts';
import { findPlainBraces } from '../registrations/publish-check.ts';
import type { WebhookServices } from '../services.ts';
import { optionalTexts, readJsonObject } from './request-body.ts';
import { requireWorkflow } from './require-workflow.ts';
import { workflowJson } from './workflow-json.ts';

/** Publishes a workflow. Its webhooks answer calls before this response is sent. */
export async function publishWorkflow(
  { publishing }: WebhookServices,
  { params }: RouteCall,
): Promise<Response> {
  const workflow = await publishing.publish(params.id!);
  const warnings = findPlainBraces(workflow).map(
    ({ node, parameter }) =>
      `Node "${node}": the value of "${parameter}" holds {{ }} but does not begin with "=": it is sent as it stands`,
  );
  return jsonResponse({
    ...workflowJson(workflow, publishing.live(workflow.id)),
    addresses: publishing.addresses(workflow, 'production'),
    ...(warnings.length > 0 && { warnings }),
  });
}

export async function unpublishWorkflow(services: WebhookServices, { params }: RouteCall): Promise<Response> {
  const { publishing } = services;
  const { id } = await requireWorkflow(services, params.id!);
  await publishing.unpublish(id);
  return jsonResponse(workflowJson(await requireWorkflow(services, id), publishing.live(id)));
}

/** The addresses of the Webhook nodes, and whether clients reach this server there. */
export async function listAddresses(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { publishing, reachability } = services;
  const workflow = await requireWorkflow(services, call.params.id!);
  const live = publishing.live(workflow.id);
  const result = await reachability.check(call.signal);
  const { reachable } = result;
  const addresses = (mode: 'production' | 'test', version: Workflow) =>
    publishing.addresses(version, mode).map((address) => ({ ...address, reachable }));
  return jsonResponse({
    published: live !== undefined,
    ...(!result.reachable && { unreachable: result.why }),
    production: addresses('production', live ?? workflow),
    test: addresses('test', workflow),
  });
}

export async function listenForTestCall(services: WebhookServices, call: RouteCall): Promise<Response> {
  const workflow = await requireWorkflow(services, call.params.id!);
  const options = optionalTexts(await readJsonObject(call), 'node', 'destination');
  return jsonResponse({ data: await services.listening.listen(workflow, options) });
}

export function stopListening({ listening }: WebhookServices, { params }: RouteCall): Response {
  return jsonResponse({ stopped: listening.stop(params.id!) });
}

/** Runs a workflow by hand: from `node`, otherwise from a trigger; up to `destination`. */
export async function runWorkflowByHand(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { executions, services: engineServices } = services.engine;
  const workflow = await requireWorkflow(services, call.params.id!);
  const body = await readJsonObject(call);
  const node = startNode(workflow, optionalTexts(body, 'node').node, engineServices);
  const handle = await executions.start({
    workflow: structuredClone(workflow),
    mode: 'manual',
    test: true,
    node,
    ...optionalTexts(body, 'destination'),
  });
  await handle.accepted;
  return jsonResponse({ executionId: handle.id });
}

/**
 * The name of the node that a run by hand starts at: a trigger with pinned items, otherwise one that is no Webhook.
 * @throws ApiError 400
 */
function startNode(
  workflow: Workflow,
  requested: string | undefined,
  { nodeType }: Pick<WorkflowRunServices, 'nodeType'>,
): string {
  const enabled = workflow.nodes.filter(({ disabled }) => !disabled);
  if (requested !== undefined) {
    if (enabled.some(({ name }) => name === requested)) return requested;
    throw new ApiError(400, `The workflow has no enabled node called "${requested}"`);
  }
  const triggers = enabled.filter(({ type }) => nodeType(type)?.group === 'trigger');
  const pinned = triggers.find(({ name }) => workflow.pinData[name]);
  const byCall = ['n8n-nodes-base.webhook', 'n8n-nodes-base.formTrigger'];
  const start = pinned ?? triggers.find(({ type }) => !byCall.includes(type));
  if (start) return start.name;
  throw new ApiError(
    400,
    triggers.length > 0
      ? 'The workflow starts with a call: listen for a test call instead, or pin data to its Webhook node'
      : 'The workflow has no trigger node that could start it',
  );
}
