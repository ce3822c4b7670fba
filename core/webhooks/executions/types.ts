import type { ExecutionData, ExecutionStatus, RunResult, RunState } from '../run/record.ts';
import type { AnswerSink } from '../run/services.ts';
import type { ExecutionMode } from '../workflow/node-context.ts';
import type { ErrorRecord } from '../workflow/node-error.ts';
import type { NodeOutput, Workflow } from '../workflow/types.ts';

/** A run in short, as lists show it. Times in milliseconds since 1970. */
export interface ExecutionSummary {
  id: string;
  /** `id` as a number: the order of runs. */
  number: number;
  workflowId: string;
  workflowName: string;
  mode: ExecutionMode;
  status: ExecutionStatus;
  finished: boolean;
  /** A run of the editor. */
  test: boolean;
  startedAt: number;
  stoppedAt?: number;
  /** When it goes on by itself. */
  waitTill?: number;
  retryOf?: string;
  retrySuccessId?: string;
  error?: ErrorRecord;
}

/** What is large of a run. */
export interface ExecutionDetail {
  workflowData: Workflow;
  data: ExecutionData;
}

/** A run that waits, and for what. */
export interface WaitingExecution {
  summary: ExecutionSummary;
  detail: ExecutionDetail;
  wait: RunState['wait'];
}

export interface StartCall {
  /** As `Executions.reserve` gave it, where files of the run were there before it. */
  id?: string;
  workflow: Workflow;
  mode: ExecutionMode;
  /** Of the editor: pinned output counts, static data is not kept. */
  test?: boolean;
  /** Where it begins, and what that node gave (a webhook's item). Without output the node is run. */
  node: string;
  output?: NodeOutput;
  /** Only up to this node. */
  destination?: string;
  answer?: AnswerSink;
  /** Ends the run when it aborts: for callers that want nothing any more once they left. */
  signal?: AbortSignal;
  /** Keeps what came in before the call is answered, so that the run can be repeated after a crash. */
  durable?: boolean;
  retryOf?: string;
  /** How many workflows called one another to get here. */
  depth?: number;
}

export interface ExecutionHandle {
  id: string;
  /** The run is on record: from here on it is not forgotten, whatever happens. */
  accepted: Promise<void>;
  /**
   * The end of the run, or of what can be waited for: a run that waits for a call, or for longer than about a minute,
   * ends here as `waiting`. Never rejects.
   */
  done: Promise<RunResult>;
  cancel(): void;
}
