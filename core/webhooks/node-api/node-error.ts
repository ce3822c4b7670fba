import type { ErrorRecord } from '#core/workflow-format';

/** Errors of nodes and expressions, as they are kept in the record of an execution. */

export interface NodeErrorOptions {
  /** The longer text: what to do about it. */
  description?: string | null;
  /** Which item failed. It is not added to the message. */
  itemIndex?: number;
  /** `NodeOperationError` unless told: a recorded name. */
  name?: string;
  /** An HTTP status, for errors of requests. */
  httpCode?: string;
  /** Goes on as an item's `json.error` instead of the message. */
  json?: unknown;
  cause?: unknown;
}

/** A failure that the person who made the workflow can understand and mend. */
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

/** The error of code that a person wrote: its own words, and where. */
export class CodeError extends NodeError {}

export function errorRecord(error: unknown, node?: string): ErrorRecord {
  const known = error instanceof Error ? error : new Error(String(error));
  const record: ErrorRecord = { name: known.name, message: known.message };
  if (known instanceof NodeError) {
    if (known.description !== undefined) record.description = known.description;
    if (known.itemIndex !== undefined) record.itemIndex = known.itemIndex;
    if (known.httpCode !== undefined) record.httpCode = known.httpCode;
  }
  if (node !== undefined) record.node = node;
  return record;
}
