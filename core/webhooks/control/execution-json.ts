/** Executions as the control API shows them. */
import { type ExecutionDetail, type ExecutionSummary, filledParameters } from '#core/workflow-format';
import type { WorkflowRunServices } from '../engine/run/run-services.ts';

export function executionJson(summary: ExecutionSummary): object {
  const { id, finished, mode, retryOf, retrySuccessId, status, startedAt, stoppedAt } = summary;
  return {
    id,
    finished,
    mode,
    retryOf: retryOf ?? null,
    retrySuccessId: retrySuccessId ?? null,
    status,
    startedAt: isoTime(startedAt),
    stoppedAt: isoTime(stoppedAt),
    workflowId: summary.workflowId,
    workflowName: summary.workflowName,
    waitTill: isoTime(summary.waitTill),
  };
}

/** The JSON of an execution with all items, and with the workflow as it ran. */
export function detailJson(
  summary: ExecutionSummary,
  detail: ExecutionDetail | undefined,
  { nodeType }: Pick<WorkflowRunServices, 'nodeType'>,
): object {
  const workflow = detail?.workflowData;
  return {
    ...executionJson(summary),
    createdAt: isoTime(summary.startedAt),
    workflowVersionId: workflow?.versionId ?? null,
    data: detail?.data ?? null,
    customData: detail?.data.resultData.metadata ?? {},
    workflowData: workflow && {
      id: workflow.id,
      name: workflow.name,
      nodes: workflow.nodes.map((node) => ({
        ...node,
        parameters: filledParameters(nodeType(node.type), node),
      })),
      connections: workflow.connections,
      settings: workflow.settings,
      nodeGroups: (workflow as { nodeGroups?: unknown }).nodeGroups ?? [],
    },
  };
}

function isoTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
