/** Errors of the native routes: `{"error": "TEXT"}`. */
import { ApiError, printJson, textResponse } from '#core/http';

/** Status and text of anything thrown. A client that has left is told 499, as nobody listens any more. */
export function describeFailure(error: unknown): { status: number; message: string } {
  if (error instanceof ApiError) return { status: error.status, message: error.message };
  if (error instanceof Error && error.name === 'AbortError')
    return { status: 499, message: 'request canceled' };
  return { status: 500, message: error instanceof Error ? error.message : String(error) };
}

export const JSON_TYPE = 'application/json; charset=utf-8';
/** Answers to streamed requests that fail before their first line have no charset. */
export const BARE_JSON_TYPE = 'application/json';

export const errorBody = (error: unknown) => printJson({ error: describeFailure(error).message });

export function nativeFailure(error: unknown, contentType = JSON_TYPE): Response {
  return textResponse(errorBody(error), describeFailure(error).status, contentType);
}
