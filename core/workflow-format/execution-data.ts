/** An execution as it is stored, listed and sent to the editor. */
import type { InputSource, Item, JsonObject, NodeOutput } from './item.ts';
import type { SubNodeKind } from './sub-nodes.ts';

/** The state of an execution. The diagram is in core/webhooks/engine/executions/README.md. */
export type ExecutionStatus = 'new' | 'running' | 'success' | 'error' | 'waiting' | 'canceled' | 'crashed';

/** How an execution was started. */
export type ExecutionMode = 'webhook' | 'manual' | 'trigger' | 'retry' | 'error' | 'integrated';

/** An error of a node or of an execution. */
export interface ErrorRecord {
  name: string;
  message: string;
  description?: string | null;
  /** Name of the node. */
  node?: string;
  itemIndex?: number;
  httpCode?: string;
  /** Further facts, such as why an answer of a model was refused. */
  context?: JsonObject;
  /** The messages of the causes. */
  messages?: string[];
  timestamp?: number;
  stack?: string;
}

/** One run of one node. */
export interface TaskData {
  /** Milliseconds since 1970. */
  startTime: number;
  /** The position among all node runs of the execution, from 0. */
  executionIndex: number;
  /** One entry for each input. A trigger has none. */
  source: (InputSource | null)[];
  hints: { message: string }[];
  /** Milliseconds. */
  executionTime: number;
  executionStatus: 'success' | 'error' | 'waiting' | 'running' | 'canceled';
  data?: TaskItems;
  /** The input items, if `source` does not say where they are: the caller's items, or the input of a sub-node. */
  inputOverride?: TaskItems;
  metadata?: JsonObject;
  error?: ErrorRecord;
}

/** Items by the kind of connection: `main`, or the kind of a sub-node. */
export type TaskItems = { main?: NodeOutput } & { [kind in SubNodeKind]?: NodeOutput };

/** The runs of each node, by the node's name. */
export type RunData = Record<string, TaskData[]>;

/** A node with the items that it is about to process. */
export interface NodeTask {
  node: string;
  inputs: (Item[] | null)[];
  sources: (InputSource | null)[];
}

/** The end of a wait. */
export type WaitUntil =
  /** `at`: milliseconds since 1970. */
  | { kind: 'time'; at: number }
  /**
   * A call to the resume address, with `form` to that of its form. At `limit` (milliseconds since 1970) the execution
   * resumes without one. `approval`: a person approves or declines by the call.
   */
  | { kind: 'webhook'; limit?: number; suffix?: string; form?: boolean; approval?: boolean };

/** An execution between two nodes. Plain JSON: it is stored, and the execution resumes from it. */
export interface RunState {
  /** Tasks that are ready to run, next first. */
  queue: NodeTask[];
  /** Tasks that still wait for items of other inputs, oldest first. */
  partial: NodeTask[];
  runData: RunData;
  /** Data that a node stores between its own runs, by the node's name. */
  memory: Record<string, Record<string, unknown>>;
  customData: Record<string, string>;
  executionIndex: number;
  lastNode?: string;
  /** The output of the first node, if it existed before the execution: the node is not run then. */
  given?: { node: string; output: NodeOutput };
  /** Set while the execution waits. Its output continues from this node run. */
  wait?: { node: string; runIndex: number; until: WaitUntil };
}

/** The field `data` of `GET /executions/:id?includeData=true`. */
export interface ExecutionData {
  version: 1;
  startData: Record<string, unknown>;
  resultData: {
    runData: RunData;
    lastNodeExecuted?: string;
    error?: ErrorRecord;
    /** `$execution.customData` */
    metadata?: Record<string, string>;
    pinData?: Record<string, Item[]>;
  };
  /** The remaining work of an execution that has not ended. */
  executionData?: Omit<RunState, 'runData' | 'lastNode'>;
}
