import { NodeError } from '../node-api/node-error.ts';

export interface RequestErrorOptions {
  /** `ECONNREFUSED`, `ERR_BAD_REQUEST` … */
  code?: string;
  /** Of the answer, where there was one. */
  status?: number;
  /** `Error` unless told: what the error of an item is called. */
  kind?: string;
  description?: string;
  cause?: unknown;
}

/** A request that could not be made, or that was answered with an error. As an item's error it is an object. */
export class RequestError extends NodeError {
  constructor(
    message: string,
    { code, status, kind = 'Error', description, cause }: RequestErrorOptions = {},
  ) {
    super(message, {
      name: 'NodeApiError',
      ...(description !== undefined && { description }),
      ...(status !== undefined && { httpCode: String(status) }),
      ...(cause !== undefined && { cause }),
      json: {
        message,
        name: kind,
        // Of what a server answered its own words are enough.
        ...(description !== undefined && status === undefined && { description }),
        ...(code !== undefined && { code }),
        ...(status !== undefined && { status }),
      },
    });
  }
}
