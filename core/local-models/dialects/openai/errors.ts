/** Errors in OpenAI's shape. */
import { printJson, textResponse } from '#core/http';
import { describeFailure, JSON_TYPE } from '../../routes/errors.ts';
import { dataEvent } from '../server-sent-events.ts';

const TYPES: Record<number, string> = { 400: 'invalid_request_error', 404: 'not_found_error' };

export function openaiErrorBody(error: unknown): string {
  const { status, message } = describeFailure(error);
  return printJson({ error: { message, type: TYPES[status] ?? 'api_error', param: null, code: null } });
}

/** A request that could not be read or translated. */
export function openaiFailure(error: unknown): Response {
  return textResponse(openaiErrorBody(error), describeFailure(error).status, JSON_TYPE);
}

/** A request that was understood and then failed: a line end and no charset, as recorded. */
export function openaiRunFailure(error: unknown): Response {
  return textResponse(`${openaiErrorBody(error)}\n`, describeFailure(error).status, 'application/json');
}

/** Clients look for `error` in an event and would take a stream without [DONE] for a broken line. */
export const openaiLateFailure = (error: unknown) => dataEvent(openaiErrorBody(error));
