/**
 * The workflow format, as it is exported, imported and stored. Keys that are not listed here stay as they are, so that
 * an export returns what was imported.
 */
import type { Item } from './item.ts';

/** A workflow as it is stored and exported. */
export interface Workflow {
  id: string;
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings: WorkflowSettings;
  /** Items that replace a node's run in executions of the editor. Production executions ignore them. */
  pinData: Record<string, Item[]>;
  staticData: StaticData;
  active: boolean;
  meta?: unknown;
  tags?: unknown[];
  versionId?: string;
  /** The number of versions up to this one. */
  versionCounter?: number;
  /** ISO 8601. */
  createdAt?: string;
  /** ISO 8601. */
  updatedAt?: string;
}

/** A node of a workflow, with its parameters and error handling. */
export interface WorkflowNode {
  id: string;
  /** Unique in the workflow: the key in connections and in `$('Name')`. */
  name: string;
  /** `n8n-nodes-base.set`, or `tabd.chat` for a node that only tabd has. */
  type: string;
  typeVersion: number;
  /** Left and top on the canvas. */
  position: [number, number];
  /** The parameters that differ from the defaults. Strings that begin with `=` are expressions. */
  parameters: Record<string, unknown>;
  webhookId?: string;
  credentials?: Record<string, { id: string | null; name: string }>;
  disabled?: boolean;
  notes?: string;
  onError?: OnError;
  /** The older form of `onError: 'continueRegularOutput'`. */
  continueOnFail?: boolean;
  retryOnFail?: boolean;
  maxTries?: number;
  /** Milliseconds. */
  waitBetweenTries?: number;
  alwaysOutputData?: boolean;
  executeOnce?: boolean;
}

/** The reaction to a failing node. */
export type OnError = 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';

/** The end of a connection between two nodes. */
export interface Connection {
  /** Name of the target node. */
  node: string;
  type: string;
  /** Input of the target node. */
  index: number;
}

/** Source name -> kind (`main`) -> output -> targets. An output without targets may be null or missing. */
export type Connections = Record<string, Record<string, (Connection[] | null)[]>>;

/** The settings of a workflow. */
export interface WorkflowSettings {
  /** `v1` runs branch after branch, in the order of the canvas; `v0` level after level. */
  executionOrder?: 'v0' | 'v1';
  /** IANA name, or `DEFAULT`. */
  timezone?: string;
  saveDataErrorExecution?: 'all' | 'none' | 'DEFAULT';
  saveDataSuccessExecution?: 'all' | 'none' | 'DEFAULT';
  saveManualExecutions?: boolean | 'DEFAULT';
  saveExecutionProgress?: boolean | 'DEFAULT';
  /** Seconds; -1 = none. */
  executionTimeout?: number;
  /** Id of the workflow that starts when this one fails. */
  errorWorkflow?: string;
  callerPolicy?: string;
  callerIds?: string;
  [key: string]: unknown;
}

/** Data that production executions share: under `global`, and under `node:NAME` for each node that uses it. */
export type StaticData = Record<string, Record<string, unknown>>;
