/** Errors of the native routes: `{"error": "TEXT"}`. */
import { printJson, textResponse } from '#core/http';
import { JSON_TYPE } from '../base/content-types.ts';
import { describeError } from '../base/errors.ts';

export const nativeErrorBody = (error: unknown) => printJson({ error: describeError(error).message });

export function nativeError(error: unknown, contentType = JSON_TYPE): Response {
  return textResponse(nativeErrorBody(error), describeError(error).status, contentType);
}
