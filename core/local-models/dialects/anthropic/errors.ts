/** Errors in Anthropic's shape: `{"type": "error", "error": {"type": …, "message": "TEXT"}, …}`. */
import { printJson, textResponse } from '#core/http';
import { BARE_JSON_TYPE, JSON_TYPE } from '../../base/content-types.ts';
import { describeError } from '../../base/errors.ts';
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
  const { status, message } = describeError(error);
  return {
    type: 'error',
    error: { type: TYPES[status] ?? 'api_error', message },
    request_id: randomHexId('req'),
  };
}

/** The response for a request that cannot be read or translated. */
export function anthropicError(error: unknown): Response {
  return textResponse(printJson(errorObject(error)), describeError(error).status, JSON_TYPE);
}

/** The response for a request that fails later. Ollama then writes a line feed and no charset. */
export function anthropicRunError(error: unknown): Response {
  const { status } = describeError(error);
  return textResponse(`${printJson(errorObject(error))}\n`, status, BARE_JSON_TYPE);
}

/** The last event of a stream that failed. */
export const anthropicStreamError = (error: unknown) => typedEvent(errorObject(error));
