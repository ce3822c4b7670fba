/** Workflows: made, changed, published, deleted, brought in and taken out. */
import { ApiError, jsonResponse } from '#core/http';
import type { Workflow } from '#core/workflow-format';
import { findPlainBraces } from '../registrations/publish-check.ts';
import type { ControlCall, ControlParts } from './call.ts';
import { cursorOf, flagOf, limitOf, page } from './pages.ts';
import { exportedWorkflow, importedWorkflow, workflowJson, workflowOf } from './workflow-body.ts';

export async function listWorkflows({ engine, publishing, query }: ControlCall): Promise<object> {
  const limit = limitOf(query);
  const after = cursorOf(query);
  const active = flagOf(query, 'active');
  const name = query.get('name');
  const all = (await engine.workflows.list()).sort((a, b) => (a.id < b.id ? -1 : 1));
  const found = all.filter(
    (one) =>
      (after === undefined || one.id > after) &&
      (active === undefined || (publishing.live(one.id) !== undefined) === active) &&
      (name === null || one.name === name),
  );
  const { rows, nextCursor } = page(found, limit, ({ id }) => id);
  return { data: rows.map((one) => workflowJson(one, publishing.live(one.id))), nextCursor };
}

export async function getWorkflow(call: ControlCall): Promise<object> {
  return shown(call, await required(call));
}

export async function createWorkflow(call: ControlCall): Promise<object> {
  return shown(call, await call.engine.workflows.put(workflowOf(await call.body())));
}

/** A published one is published again; if that cannot be, nothing changes. */
export async function updateWorkflow(call: ControlCall): Promise<object> {
  const { engine, publishing } = call;
  const former = await required(call);
  const stored = await engine.workflows.put(workflowOf(await call.body(), former));
  if (!publishing.live(stored.id)) return shown(call, stored);
  try {
    return shown(call, await publishing.publish(stored.id));
  } catch (error) {
    await engine.workflows.put(former);
    throw error;
  }
}

export async function deleteWorkflow(call: ControlCall): Promise<object> {
  const { engine, publishing, listening } = call;
  const workflow = await required(call);
  await publishing.unpublish(workflow.id);
  listening.stop(workflow.id);
  await engine.workflows.delete(workflow.id);
  for (;;) {
    const runs = await engine.executions.list({ workflowId: workflow.id, limit: 100 });
    for (const { id } of runs) await engine.executions.delete(id);
    if (runs.length < 100) break;
  }
  return workflowJson({ ...workflow, active: false }, undefined);
}

/** Its addresses answer when this does. */
export async function publishWorkflow(call: ControlCall): Promise<object> {
  const workflow = await call.publishing.publish(call.params.id!);
  const warnings = findPlainBraces(workflow).map(
    ({ node, parameter }) =>
      `Node "${node}": the value of "${parameter}" holds {{ }} but does not begin with "=": it is sent as it stands`,
  );
  return {
    ...shown(call, workflow),
    addresses: call.publishing.addresses(workflow, 'production'),
    ...(warnings.length > 0 && { warnings }),
  };
}

export async function unpublishWorkflow(call: ControlCall): Promise<object> {
  const { id } = await required(call);
  await call.publishing.unpublish(id);
  return shown(call, await required(call));
}

/** Takes an exported file as it is: one workflow, or `{ workflows: [...] }` with several. */
export async function importWorkflows(call: ControlCall): Promise<object> {
  const body = await call.body();
  const files = Array.isArray(body.workflows) && body.nodes === undefined ? body.workflows : [body];
  // All are read before the first is stored: a file with a fault changes nothing.
  const read = files.map(importedWorkflow);
  const stored: Workflow[] = [];
  for (const one of read) stored.push(await call.engine.workflows.put(one));
  return { data: stored.map((one) => shown(call, one)) };
}

export async function exportWorkflow(call: ControlCall): Promise<Response> {
  const workflow = await required(call);
  const fileName = workflow.name.replace(/[^\w.-]+/g, '_').slice(0, 80) || 'workflow';
  return jsonResponse(exportedWorkflow(workflow), 200, {
    'content-disposition': `attachment; filename="${fileName}.json"`,
  });
}

/** What its Webhook nodes answer to, and whether callers get to this server there right now. */
export async function addressesOf(call: ControlCall): Promise<object> {
  const workflow = await required(call);
  const live = call.publishing.live(workflow.id);
  const reached = await call.reachability.check(call.signal);
  const told = (mode: 'production' | 'test', one: Workflow) =>
    call.publishing.addresses(one, mode).map((address) => ({ ...address, reachable: reached.reachable }));
  return {
    published: live !== undefined,
    ...(!reached.reachable && { unreachable: reached.why }),
    production: told('production', live ?? workflow),
    test: told('test', workflow),
  };
}

export async function listenForTest(call: ControlCall): Promise<object> {
  const workflow = await required(call);
  const { node, destination } = await call.body();
  return { data: await call.listening.listen(workflow, { ...named({ node }), ...named({ destination }) }) };
}

export async function stopListening({ listening, params }: ControlCall): Promise<object> {
  return { stopped: listening.stop(params.id!) };
}

/** A run of the editor: from `node`, or the trigger that can start by itself; up to `destination`. */
export async function runWorkflow(call: ControlCall): Promise<object> {
  const workflow = await required(call);
  const { node, destination } = await call.body();
  const chosen = triggerOf(workflow, named({ node }).node, call.engine);
  const handle = await call.engine.executions.start({
    workflow: structuredClone(workflow),
    mode: 'manual',
    test: true,
    node: chosen,
    ...named({ destination }),
  });
  await handle.accepted;
  return { executionId: handle.id };
}

function triggerOf(workflow: Workflow, asked: string | undefined, engine: Engine): string {
  const enabled = workflow.nodes.filter(({ disabled }) => !disabled);
  if (asked !== undefined) {
    if (enabled.some(({ name }) => name === asked)) return asked;
    throw new ApiError(400, `The workflow has no enabled node called "${asked}"`);
  }
  const triggers = enabled.filter(({ type }) => engine.services.nodeType(type)?.group === 'trigger');
  const pinned = triggers.find(({ name }) => workflow.pinData[name]);
  const own = triggers.find(({ type }) => type !== 'n8n-nodes-base.webhook');
  const start = pinned ?? own;
  if (start) return start.name;
  throw new ApiError(
    400,
    triggers.length > 0
      ? 'The workflow starts with a call: listen for a test call instead, or pin data to its Webhook node'
      : 'The workflow has no trigger node that could start it',
  );
}

type Engine = ControlParts['engine'];

/** Text that was given, by its name; nothing for what was not. Throws `ApiError` 400. */
function named<Name extends string>(given: Record<Name, unknown>): Partial<Record<Name, string>> {
  const [[name, value]] = Object.entries(given) as [[Name, unknown]];
  if (value === undefined || value === null) return {};
  if (typeof value !== 'string') throw new ApiError(400, `request/body/${name} must be string`);
  return { [name]: value } as Partial<Record<Name, string>>;
}

async function required({ engine, params }: ControlCall): Promise<Workflow> {
  const found = await engine.workflows.get(params.id!);
  if (!found) throw new ApiError(404, `The workflow with the ID "${params.id}" does not exist`);
  return found;
}

function shown({ publishing }: Pick<ControlParts, 'publishing'>, workflow: Workflow): object {
  return workflowJson(workflow, publishing.live(workflow.id));
}
