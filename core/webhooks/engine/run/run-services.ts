/** The services that all runs share, and the options of one run. */
import type { ClientKind, ClientKinds, Host, Network } from '#core/host';
import type { LocalApis } from '#core/http';
import type {
  ExecutionMode,
  Item,
  JsonObject,
  NodeOutput,
  RunState,
  Workflow,
  WorkflowNode,
} from '#core/workflow-format';
import type { DataTables } from '../../data-tables/data-tables.ts';
import type { CodeScope } from '../../expressions/code-scope.ts';
import type { Expressions } from '../../expressions/expressions.ts';
import type {
  AccessTokenOptions,
  BinaryData,
  CodeReturn,
  CodeRunRequest,
  StreamChunk,
} from '../../node-api/node-context.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { WorkflowRunEvent } from './run-result.ts';

export interface WorkflowRunServices {
  readonly host: Host;
  readonly expressions: Expressions;
  readonly network: Network;
  readonly localApis: LocalApis;
  readonly dataTables: DataTables;
  /** IANA name, for workflows that set none. */
  readonly timezone: string;
  nodeType(name: string): NodeType | undefined;
  /** The signed address that resumes a waiting execution: by a call, or by the form of the editor. */
  resumeUrl(executionId: string, kind?: 'webhook' | 'form'): string;
  /** The secret data of a credential. Undefined if there is none of this id and type. */
  credential(type: string, reference: { id: string | null; name: string }): Promise<JsonObject | undefined>;
  /**
   * The access token of a credential of OAuth 2.0.
   * @throws NodeError if there is none
   */
  accessToken(
    type: string,
    reference: { id: string | null; name: string },
    options: AccessTokenOptions & { signal: AbortSignal },
  ): Promise<string>;
  /**
   * Connects to a server that does not speak HTTP.
   * @throws NodeError
   */
  connect<K extends ClientKind>(
    kind: K,
    settings: ClientKinds[K]['settings'],
    signal: AbortSignal,
  ): Promise<ClientKinds[K]['client']>;
  /** The files of one execution. */
  binary(executionId: string): BinaryData;
  runCode(request: CodeRunRequest, scope: CodeScope, signal: AbortSignal): Promise<CodeReturn[]>;
  callWorkflow(call: SubWorkflowCall): Promise<NodeOutput>;
}

/** A node's call of another workflow. */
export interface SubWorkflowCall {
  target: { id: string } | { workflow: unknown };
  items: Item[];
  /** False: the caller does not wait for the end of the called workflow. */
  wait: boolean;
  caller: { workflow: Workflow; executionId: string; node: WorkflowNode; depth: number };
  signal: AbortSignal;
}

/** One run of a workflow, from its start or from its last wait. */
export interface WorkflowRunOptions {
  workflow: Workflow;
  executionId: string;
  mode: ExecutionMode;
  /** Started by the editor: pinned output is used, static data is not stored. */
  test: boolean;
  state: RunState;
  signal: AbortSignal;
  /** The node after which the run stops. Only nodes that lead to it run. */
  destination?: string;
  /** How many workflows called one another before this one. */
  depth?: number;
  responseSink?: ResponseSink;
  onEvent?(event: WorkflowRunEvent): void;
  /** Called after every node, before the next one, to store the state. */
  onProgress?(state: RunState): Promise<void>;
}

/** Takes the responses of nodes to the webhook call that started a run. */
export interface ResponseSink {
  respond(response: NodeResponse, node: WorkflowNode): void;
  /** Resolves false if nobody reads a streamed response. */
  stream(chunk: StreamChunk, node: WorkflowNode, runIndex: number): Promise<boolean>;
}
