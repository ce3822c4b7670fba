/** Errors in OpenAI's shape: `{"error": {"message": "TEXT", …}}`. */
import { printJson, textResponse } from '#core/http';
import { BARE_JSON_TYPE, JSON_TYPE } from '../../base/content-types.ts';
import { describeError } from '../../base/errors.ts';
import { FieldError } from '../../base/field-error.ts';
import { dataEvent } from '../server-sent-events.ts';

const TYPES: Record<number, string> = { 400: 'invalid_request_error', 404: 'not_found_error' };

function openaiErrorBody(error: unknown): string {
  const { status, message } = describeError(error);
  const { param = null, code = null } = error instanceof FieldError ? error : {};
  return printJson({ error: { message, type: TYPES[status] ?? 'api_error', param, code } });
}

/** The response for a request that cannot be read or translated. */
export function openaiError(error: unknown): Response {
  return textResponse(openaiErrorBody(error), describeError(error).status, JSON_TYPE);
}

/** The response for a request that fails later. Ollama then writes a line feed and no charset. */
export function openaiRunError(error: unknown): Response {
  return textResponse(`${openaiErrorBody(error)}\n`, describeError(error).status, BARE_JSON_TYPE);
}

/** Ends a stream. Clients look for `error` in an event, and take a stream without [DONE] for a broken connection. */
export const openaiStreamError = (error: unknown) => dataEvent(openaiErrorBody(error));
