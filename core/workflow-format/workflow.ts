import type { Item } from './item.ts';

/**
 * The workflow format as it is exported, imported and stored, and the items that flow through it. Keys that are not
 * named here are kept as they came, so that an export gives back what was imported.
 */

export interface Workflow {
  id: string;
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings: WorkflowSettings;
  /** Output of a node in manual runs, instead of running it. Never used by a production call. */
  pinData: Record<string, Item[]>;
  staticData: StaticData;
  active: boolean;
  meta?: unknown;
  tags?: unknown[];
  versionId?: string;
  /** How many versions there were, with this one. */
  versionCounter?: number;
  /** ISO 8601. */
  createdAt?: string;
  updatedAt?: string;
}

export interface WorkflowNode {
  id: string;
  /** Unique in the workflow: the key in connections and in `$('Name')`. */
  name: string;
  /** `n8n-nodes-base.set`, or `tabd.chat` for what only this server has. */
  type: string;
  typeVersion: number;
  /** Left and top on the canvas. */
  position: [number, number];
  /** Only what differs from the version's defaults. Strings that begin with `=` are expressions. */
  parameters: Record<string, unknown>;
  webhookId?: string;
  credentials?: Record<string, { id: string | null; name: string }>;
  disabled?: boolean;
  notes?: string;
  onError?: OnError;
  /** Older form of `onError: 'continueRegularOutput'`. */
  continueOnFail?: boolean;
  retryOnFail?: boolean;
  maxTries?: number;
  /** Milliseconds. */
  waitBetweenTries?: number;
  alwaysOutputData?: boolean;
  executeOnce?: boolean;
}

export type OnError = 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';

export interface Connection {
  /** Name of the node it leads to. */
  node: string;
  type: string;
  /** Its input. */
  index: number;
}

/** Source name -> kind (`main`) -> output -> where it leads; an output without connections may be null or missing. */
export type Connections = Record<string, Record<string, (Connection[] | null)[]>>;

export interface WorkflowSettings {
  /** `v1` branch by branch, in the order of the canvas; otherwise level by level. */
  executionOrder?: 'v0' | 'v1';
  /** IANA name, or `DEFAULT`. */
  timezone?: string;
  saveDataErrorExecution?: 'all' | 'none' | 'DEFAULT';
  saveDataSuccessExecution?: 'all' | 'none' | 'DEFAULT';
  saveManualExecutions?: boolean | 'DEFAULT';
  saveExecutionProgress?: boolean | 'DEFAULT';
  /** Seconds; -1 = none. */
  executionTimeout?: number;
  /** Id of the workflow that is started when this one fails. */
  errorWorkflow?: string;
  callerPolicy?: string;
  callerIds?: string;
  [key: string]: unknown;
}

/** Kept between production runs: `global`, and `node:Name` for each node that asks. */
export type StaticData = Record<string, Record<string, unknown>>;
