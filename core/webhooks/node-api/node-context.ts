/** What a running node sees: the only way from `nodes/` to the rest of the server. */
import type { Log, Network } from '#core/host';
import type { LocalApis } from '#core/http';
import type {
  Binary,
  ExecutionMode,
  InputSource,
  Item,
  JsonObject,
  NodeOutput,
  OnError,
  WaitUntil,
  Workflow,
  WorkflowNode,
} from '#core/workflow-format';
import type { ExtraVariables } from './extra-variables.ts';
import type { NodeError } from './node-error.ts';
import type { NodeResponse } from './node-response.ts';

export interface NodeContext {
  readonly node: WorkflowNode;
  /** `node.typeVersion` */
  readonly version: number;
  readonly workflow: Pick<Workflow, 'id' | 'name' | 'active' | 'settings' | 'nodes' | 'connections'>;
  readonly execution: { id: string; mode: ExecutionMode };
  /** How often this node ran before in this execution. */
  readonly runIndex: number;
  /** Aborts on cancel and time-out: give it to everything that can last. */
  readonly signal: AbortSignal;
  /** IANA name: the workflow's, else the server's. */
  readonly timezone: string;

  readonly inputs: number;
  /** Items of an input; empty when nothing came. */
  items(input?: number): Item[];
  /** Where the items of an input came from: for pairings that outlast this run of the node. */
  source(input: number): InputSource | undefined;
  /** True when the input's branch ran (perhaps with no items). */
  reached(input: number): boolean;

  /**
   * The value of a parameter for an item, expressions evaluated. A path such as `options.fileName` evaluates only what
   * is under it. Not stored: `fallback` if given, else the default of this version. Throws `ExpressionError`.
   */
  parameter<T = unknown>(path: string, itemIndex: number, fallback?: T): Promise<T>;
  /** As stored (or the default), nothing evaluated. */
  literal<T = unknown>(path: string, fallback?: T): T;
  /**
   * Evaluates a value of the node's own (a string that begins with `=`, or data that holds such strings) for an item;
   * `extra`: variables that only this node has.
   */
  evaluate<T = unknown>(value: unknown, itemIndex: number, extra?: ExtraVariables): Promise<T>;

  readonly onError: OnError;
  /** `onError` is not `stopWorkflow`: a failing item should give an item with `json.error` instead of throwing. */
  readonly continueOnFail: boolean;

  /** The secret data of the node's credential of this type. Throws `NodeError` when it is not set or was deleted. */
  credential<T extends JsonObject = JsonObject>(type: string): Promise<T>;

  /** To the outside, with the rules for private addresses; `signal` is the caller's to pass. */
  readonly network: Network;
  readonly binary: BinaryData;
  /** Kept between production runs, saved after them when it changed. */
  staticData(scope: 'global' | 'node'): Record<string, unknown>;
  /** Of this node in this execution, kept from one of its runs to the next and over waits: JSON only. */
  readonly memory: Record<string, unknown>;
  /** `$execution.customData` */
  readonly customData: Record<string, string>;

  /** Answers the webhook call that started (or resumed) this execution; the first answer counts, later ones do nothing. */
  respond(answer: NodeResponse): void;
  /** A chunk of a streamed answer; resolves false when nobody listens. */
  stream(chunk: StreamChunk): Promise<boolean>;
  /**
   * Puts the execution to wait once this node returns; its output is what goes on at the resume (`webhook`: replaced by
   * the item of the request that resumes). The wait survives a restart.
   */
  wait(until: WaitUntil): void;
  /** Runs another workflow with these items. `id` of a stored one, or a workflow given whole. */
  callWorkflow(
    target: { id: string } | { workflow: unknown },
    items: Item[],
    options?: { wait?: boolean },
  ): Promise<NodeOutput>;
  /** Runs JavaScript in a new sandbox (the Code node): what it returned, once for all items or for each of them. */
  runCode(request: CodeRequest): Promise<CodeReturn[]>;

  /** Local models and image workflows of this server. */
  readonly localApis: LocalApis;
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the time; rejects with the reason of the run's signal, or of the one given instead. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** What the node wants to tell beside its output: shown in the editor, kept in the record. */
  hint(message: string): void;
  /** A line of a Code node's console, pushed to whoever watches. */
  console(line: string): void;
  readonly log: Log;
}

export interface BinaryData {
  /** Keeps the bytes and describes them: type from `mimeType`, else from the name, else `application/octet-stream`. */
  prepare(bytes: Uint8Array, options?: FileOptions): Promise<Binary>;
  /**
   * As `prepare`, of bytes that come in piece by piece: a large file is never held whole. Where the pieces end in an
   * error, nothing is kept and the error goes on.
   */
  receive(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>, options?: FileOptions): Promise<Binary>;
  bytes(binary: Binary): Promise<Uint8Array<ArrayBuffer>>;
  stream(binary: Binary): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The item's file of this name. Throws the documented error when there is none. */
  require(item: Item | undefined, property: string, itemIndex: number): Binary;
}

export interface FileOptions {
  fileName?: string;
  mimeType?: string;
}

export interface StreamChunk {
  type: 'begin' | 'item' | 'end' | 'error';
  content?: unknown;
  itemIndex: number;
}

export interface CodeRequest {
  /** The body of an async function. */
  code: string;
  mode: 'allItems' | 'eachItem';
  /** JSON that the code finds as `__input`: for code of a node's own. */
  input?: unknown;
}

export type CodeReturn = { value: unknown } | { error: NodeError };
