/** Types of the control API, with the fields that the app uses. */

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

/** The editable part of a workflow. */
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
  /** A time in ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

/** The description of a node type. Ports are those of a new node. */
export type NodeInfo = Pick<
  NodeDescription,
  'name' | 'label' | 'description' | 'group' | 'versions' | 'parameters'
> & {
  inputs: number;
  outputs: string[];
  /** Whether the ports depend on the settings of the node. */
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
  /** Why external clients cannot reach the addresses. */
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

export interface ExecutionWithData extends Execution {
  data: ExecutionData | null;
  workflowData?: { name: string; nodes: WorkflowNode[]; connections: Connections };
}

export interface Credential {
  id: string;
  name: string;
  type: string;
  updatedAt: string;
  /** Set for credentials that a person logs in for. */
  connected?: boolean;
}

/** The current value of an expression, or its error. */
export type ExpressionPreview = { value: unknown } | { error: string; description?: string };

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
