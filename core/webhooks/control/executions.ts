/** Runs: listed, looked at, deleted, repeated, stopped. */
import { ApiError } from '#core/http';
import { type ExecutionDetail, type ExecutionSummary, filledParameters } from '#core/workflow-format';
import type { ControlCall, ControlParts } from './call.ts';
import { cursorOf, flagOf, limitOf, page } from './pages.ts';

const STATUSES = ['canceled', 'crashed', 'error', 'new', 'running', 'success', 'waiting'];

export async function listExecutions({ engine, query }: ControlCall): Promise<object> {
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
  if (!flagOf(query, 'includeData')) return { data: rows.map(executionJson), nextCursor };
  const whole = await Promise.all(rows.map(({ id }) => engine.executions.get(id)));
  return {
    data: whole.flatMap((one) => (one ? [detailJson(one.summary, one.detail, engine)] : [])),
    nextCursor,
  };
}

export async function getExecution(call: ControlCall): Promise<object> {
  const { summary, detail } = await required(call);
  return flagOf(call.query, 'includeData')
    ? detailJson(summary, detail, call.engine)
    : { ...executionJson(summary), customData: {} };
}

export async function deleteExecution(call: ControlCall): Promise<object> {
  const { summary } = await required(call);
  await call.engine.executions.delete(summary.id);
  return executionJson(summary);
}

/** `loadWorkflow`: with the workflow as it is now, not as it was then. */
export async function retryExecution(call: ControlCall): Promise<object> {
  const { summary } = await required(call);
  const { loadWorkflow } = await call.body();
  const now = loadWorkflow === true ? await call.engine.workflows.get(summary.workflowId) : undefined;
  if (loadWorkflow === true && !now) {
    throw new ApiError(404, `The workflow with the ID "${summary.workflowId}" does not exist`);
  }
  const handle = await call.engine.executions.retry(summary.id, now && structuredClone(now));
  await handle.accepted;
  const started = await call.engine.executions.get(handle.id);
  return executionJson(started?.summary ?? { ...summary, id: handle.id, retryOf: summary.id, mode: 'retry' });
}

/** A run of the workflow as it is now, by hand, from its start and with what that run was started with. */
export async function replayExecution(call: ControlCall): Promise<object> {
  const { summary, detail } = await required(call);
  const workflow = await call.engine.workflows.get(summary.workflowId);
  if (!workflow) throw new ApiError(404, `The workflow with the ID "${summary.workflowId}" does not exist`);
  const first = Object.entries(detail?.data.resultData.runData ?? {}).find(
    ([, [task]]) => task?.executionIndex === 0,
  );
  const output = first?.[1][0]?.data?.main;
  if (!first || !output)
    throw new ApiError(409, `What the execution ${summary.id} started with was not kept`);
  const [node] = first;
  if (!workflow.nodes.some(({ name, disabled }) => name === node && !disabled)) {
    throw new ApiError(409, `The workflow no longer has the node "${node}" that it started at`);
  }
  const handle = await call.engine.executions.start({
    workflow: structuredClone(workflow),
    mode: 'manual',
    test: true,
    node,
    output,
  });
  await handle.accepted;
  return { executionId: handle.id };
}

export async function stopExecution(call: ControlCall): Promise<object> {
  const { summary } = await required(call);
  if (!(await call.engine.executions.cancel(summary.id))) {
    throw new ApiError(409, `The execution ${summary.id} is over already ("${summary.status}")`);
  }
  const now = await call.engine.executions.get(summary.id);
  return executionJson({ ...(now?.summary ?? summary), status: 'canceled' });
}

async function required({ engine, params }: ControlCall) {
  const found = await engine.executions.get(params.id!);
  if (!found) throw new ApiError(404, `The execution "${params.id}" does not exist`);
  return found;
}

export function executionJson(summary: ExecutionSummary): object {
  const { id, finished, mode, retryOf, retrySuccessId, status, startedAt, stoppedAt } = summary;
  return {
    id,
    finished,
    mode,
    retryOf: retryOf ?? null,
    retrySuccessId: retrySuccessId ?? null,
    status,
    startedAt: iso(startedAt),
    stoppedAt: iso(stoppedAt),
    workflowId: summary.workflowId,
    workflowName: summary.workflowName,
    waitTill: iso(summary.waitTill),
  };
}

function detailJson(
  summary: ExecutionSummary,
  detail: ExecutionDetail | undefined,
  engine: ControlParts['engine'],
): object {
  const workflow = detail?.workflowData;
  return {
    ...executionJson(summary),
    createdAt: iso(summary.startedAt),
    workflowVersionId: workflow?.versionId ?? null,
    data: detail?.data ?? null,
    customData: detail?.data.executionData?.customData ?? {},
    workflowData: workflow && {
      id: workflow.id,
      name: workflow.name,
      nodes: workflow.nodes.map((node) => ({
        ...node,
        parameters: filledParameters(engine.services.nodeType(node.type), node),
      })),
      connections: workflow.connections,
      settings: workflow.settings,
      nodeGroups: (workflow as { nodeGroups?: unknown }).nodeGroups ?? [],
    },
  };
}

function iso(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
