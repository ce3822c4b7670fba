/** The outcome and the progress of one run of a workflow. */
import type { ErrorRecord, ExecutionStatus, RunState, TaskData } from '#core/workflow-format';

export interface RunResult {
  status: Exclude<ExecutionStatus, 'new' | 'running' | 'crashed'>;
  state: RunState;
  error?: ErrorRecord;
  /** The error of the storage, if the execution failed because it could not be recorded. */
  unrecorded?: unknown;
}

/** Progress, in the order of the events. */
export type WorkflowRunEvent =
  | { type: 'nodeStarted'; node: string; runIndex: number; task: TaskData }
  | { type: 'nodeFinished'; node: string; runIndex: number; task: TaskData }
  | { type: 'console'; node: string; line: string };
