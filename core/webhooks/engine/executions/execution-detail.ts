import type {
  ErrorRecord,
  ExecutionDetail,
  ExecutionSummary,
  RunState,
  Workflow,
} from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';

/** What is kept of a run, now or at its end. What is still to do is kept as long as there is any. */
export function detailOf(workflow: Workflow, state: RunState, error?: ErrorRecord): ExecutionDetail {
  const { runData, lastNode, ...rest } = state;
  const open = rest.wait !== undefined || rest.queue.length > 0 || rest.partial.length > 0;
  return {
    workflowData: workflow,
    data: {
      version: 1,
      startData: {},
      resultData: {
        runData,
        ...(lastNode !== undefined && { lastNodeExecuted: lastNode }),
        ...(error && { error }),
        ...(Object.keys(workflow.pinData).length > 0 && { pinData: workflow.pinData }),
      },
      ...(open && { executionData: rest }),
    },
  };
}

/** The state of a run that is not over; undefined when nothing is left to do. */
export function stateOf({ data }: ExecutionDetail): RunState | undefined {
  const { runData, lastNodeExecuted } = data.resultData;
  if (!data.executionData) return undefined;
  return {
    ...data.executionData,
    runData,
    ...(lastNodeExecuted !== undefined && { lastNode: lastNodeExecuted }),
  };
}

/** Whether a finished run is kept, by the settings of its workflow and of the server. */
export function isKept(
  { status, test }: ExecutionSummary,
  { settings }: Workflow,
  server: WebhookSettings,
): boolean {
  if (test)
    return (
      settings.saveManualExecutions === true || (settings.saveManualExecutions !== false && server.saveManual)
    );
  const [own, otherwise] =
    status === 'success'
      ? [settings.saveDataSuccessExecution, server.saveSuccess]
      : [settings.saveDataErrorExecution, server.saveError];
  return own === 'all' || (own !== 'none' && otherwise);
}
