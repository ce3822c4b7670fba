/** The arguments and results of `Executions`. */
import type { RecordChange } from '#core/host';
import type {
  ExecutionDetail,
  ExecutionMode,
  ExecutionSummary,
  Item,
  NodeOutput,
  RunState,
  Workflow,
} from '#core/workflow-format';
import type { RunResult } from '../run/run-result.ts';
import type { ResponseSink } from '../run/run-services.ts';

/** A waiting execution, and what it waits for. */
export interface WaitingExecution {
  summary: ExecutionSummary;
  detail: ExecutionDetail;
  wait: RunState['wait'];
}

export interface StartCall {
  /** An id of `Executions.reserve`, if files are stored for the execution already. */
  id?: string;
  workflow: Workflow;
  mode: ExecutionMode;
  /** Started by the editor: pinned output is used, static data is not stored. */
  test?: boolean;
  /** The node that the execution starts at. */
  node: string;
  /** The output of that node, such as a webhook's item. Without it the node is run. */
  output?: NodeOutput;
  /** The items with which that node is run. Default: one empty item. */
  input?: Item[];
  /** The node after which the execution stops. */
  destination?: string;
  responseSink?: ResponseSink;
  /** Cancels the execution when it aborts. */
  signal?: AbortSignal;
  /** Everything is recorded before `accepted`, so that the execution can be repeated after a crash. */
  durable?: boolean;
  /** In a cluster any process may run it, when it has room. It is recorded as a durable one. */
  anywhere?: boolean;
  /** Stored in one transaction with the start of a durable execution. */
  storedWith?: RecordChange[];
  retryOf?: string;
  /** How many workflows called one another before this one. */
  depth?: number;
}

export interface ExecutionHandle {
  id: string;
  /** The execution is on record and survives a crash of the server. */
  accepted: Promise<void>;
  /**
   * The end of the execution. A wait for a call, or for longer than about a minute, ends here as `waiting`.
   * Never rejects.
   */
  done: Promise<RunResult>;
  cancel(): void;
}
