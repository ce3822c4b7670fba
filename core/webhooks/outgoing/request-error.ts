import { NodeError } from '../node-api/node-error.ts';

interface RequestErrorOptions {
  /** `ECONNREFUSED`, `ERR_BAD_REQUEST` … */
  code?: string;
  /** The status of the response, if there was one. */
  status?: number;
  /** The name of the error in an item, `Error` by default. */
  kind?: string;
  description?: string;
  cause?: unknown;
}

/** A request that failed, or that was answered with an error. In an item its error is an object. */
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
        // The message of a response has the server's own words: it needs no advice.
        ...(description !== undefined && status === undefined && { description }),
        ...(code !== undefined && { code }),
        ...(status !== undefined && { status }),
      },
    });
  }
}
