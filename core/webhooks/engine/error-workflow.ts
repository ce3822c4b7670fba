import type { ExecutionSummary, RunState, Workflow } from '#core/workflow-format';
import type { Executions } from './executions/executions.ts';
import type { WorkflowStore } from './workflow-store.ts';

const TRIGGER = 'n8n-nodes-base.errorTrigger';

/** Starts the workflow that a failed workflow's settings name for errors, if there is one. */
export async function startErrorWorkflow(
  failed: { execution: ExecutionSummary; workflow: Workflow; state: RunState },
  parts: { executions: Executions; workflows: WorkflowStore; address: string },
): Promise<void> {
  const { execution, workflow, state } = failed;
  const id = workflow.settings.errorWorkflow;
  // A failing error workflow must not start itself again.
  if (!id || id === 'DEFAULT' || execution.mode === 'error') return;
  const handler = id === workflow.id ? workflow : await parts.workflows.get(id);
  const trigger = handler?.nodes.find(({ type, disabled }) => type === TRIGGER && !disabled);
  if (!handler || !trigger) return;
  const json = {
    execution: {
      id: execution.id,
      url: `${parts.address}/workflow/${workflow.id}/executions/${execution.id}`,
      ...(execution.retryOf !== undefined && { retryOf: execution.retryOf }),
      error: execution.error,
      lastNodeExecuted: state.lastNode,
      mode: execution.mode,
    },
    workflow: { id: workflow.id, name: workflow.name },
  };
  const output = [[{ json, pairedItem: { item: 0 } }]];
  await parts.executions.start({ workflow: handler, mode: 'error', node: trigger.name, output });
}
