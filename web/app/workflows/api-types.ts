/** What the control API gives and takes, as far as these screens use it. */

import type {
  Connections,
  CredentialType,
  CredentialUse,
  ExecutionData,
  NodeDescription,
  Parameter,
  WorkflowNode,
} from '#core/workflow-format';

export type { Connection, Connections, Item, RunData, TaskData } from '#core/workflow-format';
export type { CredentialType, CredentialUse, Parameter, WorkflowNode };

/** What a person changes of a workflow. */
export interface WorkflowDraft {
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings: Record<string, unknown>;
  pinData?: Record<string, unknown> | null;
}

export interface StoredWorkflow extends WorkflowDraft {
  id: string;
  active: boolean;
  versionId: string | null;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

/** A node's description as JSON: ports are those of a new node. */
export type NodeInfo = Pick<
  NodeDescription,
  'name' | 'label' | 'description' | 'group' | 'versions' | 'parameters'
> & {
  inputs: number;
  outputs: string[];
  /** Its ports depend on its settings. */
  dynamic: boolean;
  credentials: CredentialUse[];
};

export type Ports = Record<string, { inputs: number; outputs: string[] } | null>;

export interface Address {
  node: string;
  methods: string[];
  url: string;
  path: string;
  reachable: boolean;
}

export interface Addresses {
  published: boolean;
  /** Why callers from outside do not get here. */
  unreachable?: string;
  production: Address[];
  test: Address[];
}

export type ExecutionState = 'new' | 'running' | 'success' | 'error' | 'waiting' | 'canceled' | 'crashed';

export interface Execution {
  id: string;
  workflowId: string;
  workflowName: string;
  mode: string;
  status: ExecutionState;
  startedAt: string | null;
  stoppedAt: string | null;
  waitTill: string | null;
  retryOf: string | null;
  retrySuccessId: string | null;
}

export interface ExecutionDetail extends Execution {
  data: ExecutionData | null;
  workflowData?: { name: string; nodes: WorkflowNode[]; connections: Connections };
}

export interface Credential {
  id: string;
  name: string;
  type: string;
  updatedAt: string;
}

/** Of a value that is shown before it is used. */
export type Preview = { value: unknown } | { error: string; description?: string };

export interface ServerEvent {
  type: string;
  data: {
    workflowId?: string;
    executionId?: string;
    nodeName?: string;
    execution?: Execution;
    error?: { message: string };
  };
}
