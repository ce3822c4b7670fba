/** Errors of nodes and expressions, and their form in execution records. */
import type { ErrorRecord, JsonObject } from '#core/workflow-format';

export interface NodeErrorOptions {
  /** The longer text: how to correct the fault. */
  description?: string | null;
  /** The index of the failing item. It is not added to the message. */
  itemIndex?: number;
  /** Default `NodeOperationError`, as in n8n's records. */
  name?: string;
  /** The HTTP status of a failed request. */
  httpCode?: string;
  /** The value of `json.error` if the node continues after errors. Default: the message. */
  json?: unknown;
  /** Name of the node that failed, if it is a sub-node of the running one. */
  node?: string;
  /** Further facts for the record. */
  context?: JsonObject;
  /** The messages of the causes, for the record. */
  messages?: string[];
  cause?: unknown;
}

/** A fault that the workflow's author can understand and correct. */
export class NodeError extends Error {
  override name: string;
  readonly description: string | null | undefined;
  readonly itemIndex: number | undefined;
  readonly httpCode: string | undefined;
  readonly json: unknown;
  readonly node: string | undefined;
  readonly context: JsonObject | undefined;
  readonly messages: string[] | undefined;

  constructor(message: string, options: NodeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = options.name ?? 'NodeOperationError';
    this.description = options.description;
    this.itemIndex = options.itemIndex;
    this.httpCode = options.httpCode;
    this.json = options.json;
    this.node = options.node;
    this.context = options.context;
    this.messages = options.messages;
  }
}

/** An expression could not be evaluated. */
export class ExpressionError extends NodeError {
  constructor(message: string, options: NodeErrorOptions = {}) {
    super(message, { name: 'ExpressionError', ...options });
  }
}

/** An error that the author's own code threw, with its line. */
export class CodeError extends NodeError {}

/** @param node name of the node that failed */
export function errorRecord(thrown: unknown, node?: string): ErrorRecord {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const record: ErrorRecord = { name: error.name, message: error.message };
  if (error instanceof NodeError) {
    if (error.description !== undefined) record.description = error.description;
    if (error.itemIndex !== undefined) record.itemIndex = error.itemIndex;
    if (error.httpCode !== undefined) record.httpCode = error.httpCode;
    if (error.context !== undefined) record.context = error.context;
    if (error.messages !== undefined) record.messages = error.messages;
    if (error.node !== undefined) record.node = error.node;
  }
  if (node !== undefined) record.node ??= node;
  return record;
}
