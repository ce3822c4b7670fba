import type {
  ErrorRecord,
  ExecutionDetail,
  ExecutionSummary,
  RunState,
  Workflow,
} from '#core/workflow-format';
import type { WebhookSettings } from '../../settings/webhook-settings.ts';

/** The large record of an execution, during a run or at its end. Remaining work is recorded as long as there is some. */
export function toDetail(workflow: Workflow, state: RunState, error?: ErrorRecord): ExecutionDetail {
  const { runData, lastNode, customData } = state;
  const hasWork = state.wait !== undefined || state.queue.length > 0 || state.partial.length > 0;
  return {
    workflowData: workflow,
    data: {
      version: 1,
      startData: {},
      resultData: {
        runData,
        ...(lastNode !== undefined && { lastNodeExecuted: lastNode }),
        ...(error && { error }),
        ...(Object.keys(customData).length > 0 && { metadata: customData }),
        ...(Object.keys(workflow.pinData).length > 0 && { pinData: workflow.pinData }),
      },
      ...(hasWork && { executionData: remainingWork(state) }),
    },
  };
}

function remainingWork({ runData: _, lastNode: __, ...work }: RunState) {
  return work;
}

/** The state that an execution resumes from. Undefined if no work remains. */
export function toState({ data }: ExecutionDetail): RunState | undefined {
  const { runData, lastNodeExecuted } = data.resultData;
  if (!data.executionData) return undefined;
  return {
    ...data.executionData,
    runData,
    ...(lastNodeExecuted !== undefined && { lastNode: lastNodeExecuted }),
  };
}

/** Whether a finished execution stays on record, by the settings of its workflow and of the server. */
export function isSaved(
  { status, test }: ExecutionSummary,
  { settings }: Workflow,
  server: Pick<WebhookSettings, 'saveManual' | 'saveSuccess' | 'saveError'>,
): boolean {
  if (test) {
    const { saveManualExecutions: own } = settings;
    return own === true || (own !== false && server.saveManual);
  }
  const [own, otherwise] =
    status === 'success'
      ? [settings.saveDataSuccessExecution, server.saveSuccess]
      : [settings.saveDataErrorExecution, server.saveError];
  return own === 'all' || (own !== 'none' && otherwise);
}
