/** The interface through which a running node uses the rest of the server. */
import type { ClientKind, ClientKinds, CodecFiles, Files, Log, Network, ShellCommands } from '#core/host';
import type { LocalApis } from '#core/http';
import type {
  Binary,
  ExecutionMode,
  InputSource,
  Item,
  JsonObject,
  NodeOutput,
  OnError,
  SubNodeKind,
  WaitUntil,
  Workflow,
  WorkflowNode,
} from '#core/workflow-format';
import type { DataTables } from '../data-tables/data-tables.ts';
import type { ExtraVariables } from './extra-variables.ts';
import type { NodeError } from './node-error.ts';
import type { NodeResponse } from './node-response.ts';
import type { SubNodeValues, ToolRun } from './sub-nodes.ts';

export interface NodeContext {
  readonly node: WorkflowNode;
  /** `node.typeVersion` */
  readonly version: number;
  readonly workflow: Pick<Workflow, 'id' | 'name' | 'active' | 'settings' | 'nodes' | 'connections'>;
  readonly execution: { id: string; mode: ExecutionMode };
  /** The number of earlier runs of this node in this execution. */
  readonly runIndex: number;
  /** Aborts when the execution is cancelled or times out. Pass it to everything that takes time. */
  readonly signal: AbortSignal;
  /** IANA name: the workflow's timezone, otherwise the server's. */
  readonly timezone: string;

  /** The number of inputs. */
  readonly inputs: number;
  /** The items of an input, by default of input 0. Empty if none arrived. */
  items(input?: number): Item[];
  /** The node run that the items of an input came from, for pairings that are stored longer than this run. */
  source(input: number): InputSource | undefined;
  /** Whether the input's branch has run, perhaps without items. */
  isReached(input: number): boolean;

  /**
   * The value of a parameter for an item, with evaluated expressions. A path such as `options.fileName` evaluates only
   * the value at the path.
   * @param fallback the value of a parameter that is not stored; otherwise the default of this version
   * @throws ExpressionError
   */
  parameter<T = unknown>(path: string, itemIndex: number, fallback?: T): Promise<T>;
  /** The stored value of a parameter, or its default. Expressions are not evaluated. */
  literal<T = unknown>(path: string, fallback?: T): T;
  /**
   * Evaluates the expressions in a value for an item.
   * @param extra variables that only this node has
   * @throws ExpressionError
   */
  evaluate<T = unknown>(value: unknown, itemIndex: number, extra?: ExtraVariables): Promise<T>;

  /**
   * The values that the node's sub-nodes of a kind supply for an item. Disabled ones are left out.
   * @throws NodeError "Error in sub-node …"
   */
  subNodes<K extends SubNodeKind>(kind: K, itemIndex: number): Promise<SubNodeValues[K][]>;
  /**
   * Runs tools of an agent as nodes of the workflow, one after the other, and records them. A failing tool has one item
   * with `json.error`. The run of this node then counts as resumed.
   */
  runTools(runs: ToolRun[]): Promise<Item[][]>;
  /** JSON that the node type keeps for all workflows, such as conversations. */
  readonly storage: NodeStorage;

  readonly onError: OnError;
  /** `onError` is not `stopWorkflow`: a failing item should become an item with `json.error`. */
  readonly continueOnFail: boolean;

  /**
   * The secret data of the node's credential of this type.
   * @throws NodeError if the node names none, or it was deleted
   */
  credential<T extends JsonObject = JsonObject>(type: string): Promise<T>;

  /**
   * The access token of the node's credential of this type, which has OAuth 2.0.
   * @throws NodeError if the credential is not connected, or cannot be renewed
   */
  accessToken(type: string, options?: AccessTokenOptions): Promise<string>;

  /** The network outside, with the rules for private addresses. Its requests end with the execution. */
  readonly network: Network;
  /**
   * Connects to a server that does not speak HTTP. The node closes the connection; the end of the execution does too.
   * @throws NodeError if the address is not allowed, the server refuses, or this platform has no such connections
   */
  connect<K extends ClientKind>(
    kind: K,
    settings: ClientKinds[K]['settings'],
  ): Promise<ClientKinds[K]['client']>;
  /** Commands of the computer. Undefined: they are not allowed. */
  readonly commands: ShellCommands | undefined;
  readonly binary: BinaryData;
  /** The codecs of JPEG and WebP. Undefined: this platform has none. */
  readonly imageCodecs: CodecFiles | undefined;
  /** Ordinary files of this installation. Nodes keep to the folder that a setting names. */
  readonly localFiles: Files;
  /** The value of a setting, or undefined. */
  setting(name: string): string | undefined;
  /** Data that production executions share. It is stored after an execution that changed it. */
  staticData(scope: 'global' | 'node'): Record<string, unknown>;
  /** JSON that this node keeps from one of its runs to the next, within this execution and over waits. */
  readonly memory: Record<string, unknown>;
  /** `$execution.customData` */
  readonly customData: Record<string, string>;

  /** Responds to the webhook call that started or resumed this execution. Further responses are ignored. */
  respond(response: NodeResponse): void;
  /** Sends a chunk of a streamed response. Resolves false if nobody reads it. */
  stream(chunk: StreamChunk): Promise<boolean>;
  /**
   * Makes the execution wait when this node returns. Its output continues at the end of the wait; with `webhook` the
   * item of the resuming call replaces it. The wait survives a restart.
   */
  wait(until: WaitUntil): void;
  /**
   * Runs another workflow with these items.
   * @param target the id of a stored workflow, or a workflow as JSON
   */
  callWorkflow(
    target: { id: string } | { workflow: unknown },
    items: Item[],
    options?: { wait?: boolean },
  ): Promise<NodeOutput>;
  /** Runs code in a new sandbox. Returns one result for all items, or one for each item. */
  runCode(request: CodeRunRequest): Promise<CodeReturn[]>;

  /** Local models and image workflows of this server. */
  readonly localApis: LocalApis;
  /** The tables that all workflows share. Pass `signal` to their methods. */
  readonly dataTables: DataTables;
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * @param signal ends the sleep, instead of the execution's signal
   * @throws the reason of the signal
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Adds a remark to the record of this run, which the editor shows. */
  hint(message: string): void;
  /** Sends a line of a Code node's console to the editor. */
  console(line: string): void;
  readonly log: Log;
}

export interface AccessTokenOptions {
  /** A token that the service did not accept: a new one replaces it. */
  refused?: string;
  /** The scope of a service account. Default: the credential's own. */
  scope?: string;
}

/** Documents by key, which survive restarts. */
export interface NodeStorage {
  get(key: string): Promise<JsonObject | undefined>;
  put(key: string, value: JsonObject): Promise<void>;
  delete(key: string): Promise<void>;
}

/** The files of one execution. */
export interface BinaryData {
  /** Stores bytes as a file. The type comes from `mimeType`, then from the name, then `application/octet-stream`. */
  prepare(bytes: Uint8Array, options?: FileOptions): Promise<Binary>;
  /**
   * Stores a file while its bytes arrive: a large file is never completely in memory.
   * @throws the error of `chunks`; nothing is stored then
   */
  receive(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>, options?: FileOptions): Promise<Binary>;
  bytes(binary: Binary): Promise<Uint8Array<ArrayBuffer>>;
  stream(binary: Binary): ReadableStream<Uint8Array<ArrayBuffer>>;
  /**
   * The item's file of this name.
   * @throws NodeError with n8n's message
   */
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

export interface CodeRunRequest {
  /** Default: JavaScript. Python ends with the first item that fails. */
  language?: 'javaScript' | 'python';
  /** The body of an async function. */
  code: string;
  mode: 'allItems' | 'eachItem';
  /** JSON that a node's own code reads as `__input`. Python reads each entry as a variable, such as `_query`. */
  input?: unknown;
}

export type CodeReturn = { value: unknown } | { error: NodeError };
