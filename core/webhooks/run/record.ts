/** What an execution leaves behind, as it is stored, listed and pushed. */
import type { ExecutionMode, WaitUntil } from '../workflow/node-context.ts';
import type { ErrorRecord } from '../workflow/node-error.ts';
import type { Item, NodeOutput, Source } from '../workflow/types.ts';

export type ExecutionStatus = 'new' | 'running' | 'success' | 'error' | 'waiting' | 'canceled' | 'crashed';

/** One run of one node. */
export interface TaskData {
  /** Milliseconds since 1970. */
  startTime: number;
  /** Order among all runs of nodes, from 0. */
  executionIndex: number;
  /** Per input; a trigger has none. */
  source: (Source | null)[];
  hints: { message: string }[];
  /** Milliseconds. */
  executionTime: number;
  executionStatus: 'success' | 'error' | 'waiting' | 'running' | 'canceled';
  data?: { main: NodeOutput };
  /** What came in, where it cannot be read off `source` (a start with given items). */
  inputOverride?: { main: NodeOutput };
  error?: ErrorRecord;
}

/** Node name -> its runs. */
export type RunData = Record<string, TaskData[]>;

/** A node that can run now. */
export interface Task {
  node: string;
  inputs: (Item[] | null)[];
  sources: (Source | null)[];
}

/** A run between two nodes: JSON, so that it can be put away and taken up again. */
export interface RunState {
  /** Ready to run, next first. */
  queue: Task[];
  /** Nodes with several inputs of which some have not come yet, oldest first. */
  partial: Task[];
  runData: RunData;
  /** What nodes keep from one of their runs to the next. */
  memory: Record<string, Record<string, unknown>>;
  customData: Record<string, string>;
  executionIndex: number;
  lastNode?: string;
  /** What the first node gives instead of being run: it was there when the run began. */
  given?: { node: string; output: NodeOutput };
  /** Set while the execution waits: this node's output goes on at the resume. */
  wait?: { node: string; runIndex: number; until: WaitUntil };
}

/** What `GET /executions/:id?includeData=true` gives as `data`. */
export interface ExecutionData {
  version: 1;
  startData: Record<string, unknown>;
  resultData: {
    runData: RunData;
    lastNodeExecuted?: string;
    error?: ErrorRecord;
    pinData?: Record<string, Item[]>;
  };
  /** What is still to do, of a run that is not over. */
  executionData?: Omit<RunState, 'runData' | 'lastNode'>;
}

export interface RunResult {
  status: Exclude<ExecutionStatus, 'new' | 'running' | 'crashed'>;
  state: RunState;
  error?: ErrorRecord;
}

export interface RunMode {
  mode: ExecutionMode;
  /** Pinned output is used, waits and static data are not kept. */
  test: boolean;
}

/** Progress, in the order it happens. */
export type RunEvent =
  | { type: 'nodeStarted'; node: string; runIndex: number; task: TaskData }
  | { type: 'nodeFinished'; node: string; runIndex: number; task: TaskData }
  | { type: 'console'; node: string; line: string };
