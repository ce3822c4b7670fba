/** The two stored records of an execution. */
import type { ErrorRecord, ExecutionData, ExecutionMode, ExecutionStatus } from './execution-data.ts';
import type { Workflow } from './workflow.ts';

/** The small record, which lists show. Times in milliseconds since 1970. */
export interface ExecutionSummary {
  id: string;
  /** `id` as a number: the order of executions. */
  number: number;
  workflowId: string;
  workflowName: string;
  mode: ExecutionMode;
  status: ExecutionStatus;
  finished: boolean;
  /** Whether the editor started the execution. */
  test: boolean;
  startedAt: number;
  stoppedAt?: number;
  /** The time at which a waiting execution resumes without a call. */
  waitTill?: number;
  retryOf?: string;
  retrySuccessId?: string;
  error?: ErrorRecord;
  /** The process that runs the execution, in a cluster. */
  process?: string;
  /** How many times another process has taken over the execution. */
  takeovers?: number;
  /** In a cluster: the execution waits in the queue of all processes, and belongs to none yet. */
  queued?: boolean;
  /** The trace of the call that started it, as `Tracing.current` names it. */
  traceparent?: string;
}

/** The larger record of an execution: the workflow as it ran, and all items. */
export interface ExecutionDetail {
  workflowData: Workflow;
  data: ExecutionData;
}
