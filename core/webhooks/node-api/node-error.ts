/** Errors of nodes and expressions, and their form in execution records. */
import type { ErrorRecord } from '#core/workflow-format';

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
  cause?: unknown;
}

/** A fault that the workflow's author can understand and correct. */
export class NodeError extends Error {
  override name: string;
  readonly description: string | null | undefined;
  readonly itemIndex: number | undefined;
  readonly httpCode: string | undefined;
  readonly json: unknown;

  constructor(message: string, options: NodeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = options.name ?? 'NodeOperationError';
    this.description = options.description;
    this.itemIndex = options.itemIndex;
    this.httpCode = options.httpCode;
    this.json = options.json;
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
  }
  if (node !== undefined) record.node = node;
  return record;
}
