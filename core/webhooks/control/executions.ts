/** Executions: listed, shown, deleted, repeated, stopped. */
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import type { WebhookServices } from '../services.ts';
import { detailJson, executionJson } from './execution-json.ts';
import { cursorOf, flagOf, limitOf, page } from './paging.ts';
import { readJsonObject } from './request-body.ts';
import { requireWorkflow } from './require-workflow.ts';

const STATUSES = ['canceled', 'crashed', 'error', 'new', 'running', 'success', 'waiting'];

export async function listExecutions({ engine }: WebhookServices, { url }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const limit = limitOf(query);
  const after = cursorOf(query);
  const status = query.get('status') ?? undefined;
  if (status !== undefined && !STATUSES.includes(status)) {
    throw new ApiError(
      400,
      `request/query/status must be equal to one of the allowed values: ${STATUSES.join(', ')}`,
    );
  }
  const found = await engine.executions.list({
    ...(status !== undefined && { status }),
    ...(query.get('workflowId') && { workflowId: query.get('workflowId')! }),
    ...(after !== undefined && { before: Number(after) }),
    limit: limit + 1,
  });
  const { rows, nextCursor } = page(found, limit, ({ number }) => String(number));
  if (!flagOf(query, 'includeData')) return jsonResponse({ data: rows.map(executionJson), nextCursor });
  const complete = await Promise.all(rows.map(({ id }) => engine.executions.get(id)));
  const data = complete.flatMap((execution) =>
    execution ? [detailJson(execution.summary, execution.detail, engine.services)] : [],
  );
  return jsonResponse({ data, nextCursor });
}

export async function getExecution(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { summary, detail } = await requireExecution(services, call);
  return jsonResponse(
    flagOf(call.url.searchParams, 'includeData')
      ? detailJson(summary, detail, services.engine.services)
      : { ...executionJson(summary), customData: {} },
  );
}

export async function deleteExecution(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { summary } = await requireExecution(services, call);
  await services.engine.executions.delete(summary.id);
  return jsonResponse(executionJson(summary));
}

/** Runs an execution again. With `loadWorkflow`, the current workflow runs, otherwise the recorded one. */
export async function retryExecution(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { executions } = services.engine;
  const { summary } = await requireExecution(services, call);
  const { loadWorkflow } = await readJsonObject(call);
  const current = loadWorkflow === true ? await requireWorkflow(services, summary.workflowId) : undefined;
  const handle = await executions.retry(summary.id, current && structuredClone(current));
  await handle.accepted;
  const started = await executions.get(handle.id);
  return jsonResponse(
    executionJson(started?.summary ?? { ...summary, id: handle.id, retryOf: summary.id, mode: 'retry' }),
  );
}

/** Runs the current workflow by hand, from its start, with the recorded items of the first node. */
export async function replayExecution(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { summary, detail } = await requireExecution(services, call);
  const workflow = await requireWorkflow(services, summary.workflowId);
  const first = Object.entries(detail?.data.resultData.runData ?? {}).find(
    ([, [task]]) => task?.executionIndex === 0,
  );
  const output = first?.[1][0]?.data?.main;
  if (!first || !output) {
    throw new ApiError(409, `The first items of the execution ${summary.id} were not recorded`);
  }
  const [node] = first;
  if (!workflow.nodes.some(({ name, disabled }) => name === node && !disabled)) {
    throw new ApiError(409, `The workflow no longer has the node "${node}" that it started at`);
  }
  const handle = await services.engine.executions.start({
    workflow: structuredClone(workflow),
    mode: 'manual',
    test: true,
    node,
    output,
  });
  await handle.accepted;
  return jsonResponse({ executionId: handle.id });
}

export async function stopExecution(services: WebhookServices, call: RouteCall): Promise<Response> {
  const { executions } = services.engine;
  const { summary } = await requireExecution(services, call);
  if (!(await executions.cancel(summary.id))) {
    throw new ApiError(409, `The execution ${summary.id} is over already ("${summary.status}")`);
  }
  const current = await executions.get(summary.id);
  return jsonResponse(executionJson({ ...(current?.summary ?? summary), status: 'canceled' }));
}

async function requireExecution({ engine }: WebhookServices, { params }: RouteCall) {
  const found = await engine.executions.get(params.id!);
  if (!found) throw new ApiError(404, `The execution "${params.id}" does not exist`);
  return found;
}
