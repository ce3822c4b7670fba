/** Workflows: listed, created, changed, deleted, imported and exported. */
import { jsonResponse, type RouteCall } from '#core/http';
import type { Workflow } from '#core/workflow-format';
import { allowsCommands } from '../nodes/flow/execute-command.ts';
import { importReport } from '../registrations/import-report.ts';
import type { FindOptions } from '../registrations/publish-check.ts';
import type { WebhookServices } from '../services.ts';
import { chooseLocalModels } from './choose-local-models.ts';
import { cursorOf, flagOf, limitOf, page } from './paging.ts';
import { readJsonObject } from './request-body.ts';
import { requireWorkflow } from './require-workflow.ts';
import { exportedWorkflow, importedWorkflow, readWorkflowBody, workflowJson } from './workflow-json.ts';

export async function listWorkflows(
  { engine, publishing }: WebhookServices,
  { url }: RouteCall,
): Promise<Response> {
  const query = url.searchParams;
  const limit = limitOf(query);
  const after = cursorOf(query);
  const active = flagOf(query, 'active');
  const name = query.get('name');
  const all = (await engine.workflows.list()).sort((a, b) => (a.id < b.id ? -1 : 1));
  const matching = all.filter(
    (workflow) =>
      (after === undefined || workflow.id > after) &&
      (active === undefined || (publishing.live(workflow.id) !== undefined) === active) &&
      (name === null || workflow.name === name),
  );
  const { rows, nextCursor } = page(matching, limit, ({ id }) => id);
  const data = rows.map((workflow) => workflowJson(workflow, publishing.live(workflow.id)));
  return jsonResponse({ data, nextCursor });
}

export async function getWorkflow(services: WebhookServices, { params }: RouteCall): Promise<Response> {
  return send(services, await requireWorkflow(services, params.id!));
}

export async function createWorkflow(services: WebhookServices, call: RouteCall): Promise<Response> {
  return send(services, await services.engine.workflows.put(readWorkflowBody(await readJsonObject(call))));
}

/** A published workflow is published again. If that fails, the former version is stored again. */
export async function updateWorkflow(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { engine, publishing } = services;
  const former = await requireWorkflow(services, call.params.id!);
  const stored = await engine.workflows.put(readWorkflowBody(await readJsonObject(call), former));
  if (!publishing.live(stored.id)) return send(services, stored);
  try {
    return send(services, await publishing.publish(stored.id));
  } catch (error) {
    await engine.workflows.put(former);
    throw error;
  }
}

/** Deletes a workflow and its executions. */
export async function deleteWorkflow(services: WebhookServices, { params }: RouteCall): Promise<Response> {
  const { engine, publishing, listening } = services;
  const workflow = await requireWorkflow(services, params.id!);
  await publishing.unpublish(workflow.id);
  listening.stop(workflow.id);
  await engine.workflows.delete(workflow.id);
  for (;;) {
    const executions = await engine.executions.list({ workflowId: workflow.id, limit: 100 });
    for (const { id } of executions) await engine.executions.delete(id);
    if (executions.length < 100) break;
  }
  return jsonResponse(workflowJson({ ...workflow, active: false }, undefined));
}

/**
 * Takes one exported workflow, or several as `{ workflows: [...] }`. Models without a credential become local ones.
 * `reports` says, node by node, what runs here, what runs in another way, and what is missing.
 */
export async function importWorkflows(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { engine, publishing, credentials } = services;
  const body = await readJsonObject(call);
  const files = Array.isArray(body.workflows) && body.nodes === undefined ? body.workflows : [body];
  // All are read before the first is stored: an invalid one changes nothing.
  const { nodeType } = engine.services;
  const read = files.map(importedWorkflow);
  const imported = await Promise.all(
    read.map((workflow) => chooseLocalModels(workflow, { credentials, nodeType })),
  );
  const data: object[] = [];
  const reports: object[] = [];
  for (const workflow of imported) {
    const stored = await engine.workflows.put(workflow);
    data.push(workflowJson(stored, publishing.live(stored.id)));
    reports.push({ workflowId: stored.id, nodes: await importReport(stored, findOptions(services)) });
  }
  return jsonResponse({ data, reports });
}

/** How a stored workflow runs here, node by node. */
export async function reportWorkflow(services: WebhookServices, { params }: RouteCall): Promise<Response> {
  const workflow = await requireWorkflow(services, params.id!);
  return jsonResponse({
    workflowId: workflow.id,
    nodes: await importReport(workflow, findOptions(services)),
  });
}

function findOptions({ engine, credentials, host }: WebhookServices): FindOptions {
  return {
    hasClients: host.clients !== undefined,
    hasCommands: allowsCommands(host),
    hasPython: host.python !== undefined,
    nodeType: engine.services.nodeType,
    hasCredential: async (type, reference) => (await credentials.info(type, reference)) !== undefined,
  };
}

export async function exportWorkflow(services: WebhookServices, { params }: RouteCall): Promise<Response> {
  const workflow = await requireWorkflow(services, params.id!);
  const fileName = workflow.name.replace(/[^\w.-]+/g, '_').slice(0, 80) || 'workflow';
  return jsonResponse(exportedWorkflow(workflow), 200, {
    'content-disposition': `attachment; filename="${fileName}.json"`,
  });
}

function send({ publishing }: WebhookServices, workflow: Workflow): Response {
  return jsonResponse(workflowJson(workflow, publishing.live(workflow.id)));
}
