/** What running workflows needs from around it: given once, used by every run. */
import type { Host, Network } from '#core/host';
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
import type { CodeScope } from '../../expressions/code-scope.ts';
import type { Expressions } from '../../expressions/expressions.ts';
import type { BinaryData, CodeRequest, CodeReturn, StreamChunk } from '../../node-api/node-context.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { RunEvent } from './run-result.ts';

export interface RunServices {
  readonly host: Host;
  readonly expressions: Expressions;
  readonly network: Network;
  readonly localApis: LocalApis;
  /** IANA name for workflows that set none. */
  readonly timezone: string;
  nodeType(name: string): NodeType | undefined;
  /** The signed address that resumes a waiting execution: by a call, or by the form of the editor. */
  resumeUrl(executionId: string, kind?: 'webhook' | 'form'): string;
  /** The secret data of a stored credential, or undefined when there is none of this id and type. */
  credential(type: string, reference: { id: string | null; name: string }): Promise<JsonObject | undefined>;
  /** Files of one execution. */
  binary(executionId: string): BinaryData;
  runCode(request: CodeRequest, scope: CodeScope, signal: AbortSignal): Promise<CodeReturn[]>;
  callWorkflow(call: SubWorkflowCall): Promise<NodeOutput>;
}

export interface SubWorkflowCall {
  target: { id: string } | { workflow: unknown };
  items: Item[];
  /** False: it is started and its end is not awaited. */
  wait: boolean;
  caller: { workflow: Workflow; executionId: string; node: WorkflowNode; depth: number };
  signal: AbortSignal;
}

/** One run of one workflow, from its start or from where it waited. */
export interface RunOptions {
  workflow: Workflow;
  executionId: string;
  mode: ExecutionMode;
  /** Of the editor: pinned output counts, static data is not kept. */
  test: boolean;
  state: RunState;
  signal: AbortSignal;
  /** Only this node and what leads to it. */
  destination?: string;
  /** How many workflows called one another to get here. */
  depth?: number;
  answer?: AnswerSink;
  onEvent?(event: RunEvent): void;
  /** After every node, before the next: a place to keep the state. */
  onProgress?(state: RunState): Promise<void>;
}

/** Takes what nodes answer to the webhook call behind a run. */
export interface AnswerSink {
  respond(answer: NodeResponse, node: WorkflowNode): void;
  stream(chunk: StreamChunk, node: WorkflowNode, runIndex: number): Promise<boolean>;
}
