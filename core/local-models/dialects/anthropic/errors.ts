/** Errors in Anthropic's shape. */
import { printJson, textResponse } from '#core/http';
import { describeFailure, JSON_TYPE } from '../../routes/errors.ts';
import { randomHexId } from '../random-id.ts';
import { typedEvent } from '../server-sent-events.ts';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  529: 'overloaded_error',
};

function errorObject(error: unknown) {
  const { status, message } = describeFailure(error);
  return {
    type: 'error',
    error: { type: TYPES[status] ?? 'api_error', message },
    request_id: randomHexId('req'),
  };
}

/** A request that could not be read or translated. */
export function anthropicFailure(error: unknown): Response {
  return textResponse(printJson(errorObject(error)), describeFailure(error).status, JSON_TYPE);
}

/** A request that was understood and then failed: a line end and no charset, as recorded. */
export function anthropicRunFailure(error: unknown): Response {
  const { status } = describeFailure(error);
  return textResponse(`${printJson(errorObject(error))}\n`, status, 'application/json');
}

/** The event that ends a stream in which something failed. */
export const anthropicLateFailure = (error: unknown) => typedEvent(errorObject(error));
