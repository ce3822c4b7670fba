import type {
  ExecutionDetail,
  ExecutionMode,
  ExecutionSummary,
  NodeOutput,
  RunState,
  Workflow,
} from '#core/workflow-format';
import type { RunResult } from '../run/run-result.ts';
import type { AnswerSink } from '../run/run-services.ts';

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
