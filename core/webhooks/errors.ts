/** The errors of the webhook API, and their two printed forms: one for webhook calls, one for the control API. */
import { RecordsUnavailable, StorageFull } from '#core/host';
import { ApiError, jsonResponse, textResponse } from '#core/http';
import { DataTableError } from './data-tables/data-table.ts';
import { NodeError } from './node-api/node-error.ts';
import { IssuesError } from './registrations/publish-check.ts';

/** Further fields of a printed error. `code` is the status unless it is set. */
interface ErrorFields {
  hint?: string | undefined;
  code?: number | undefined;
}

/** An error of a webhook call, with the fields that are printed besides its message. */
export class CallError extends ApiError {
  override name = 'CallError';
  constructor(
    status: number,
    message: string,
    readonly fields: ErrorFields = {},
  ) {
    super(status, message);
  }
}

/** Prints an error for webhook calls. They are public: pages of any origin may read why their call failed. */
export function problem(status: number, message: string, fields: ErrorFields = {}): Response {
  const { code = status, hint } = fields;
  const body = JSON.stringify({ code, message, hint });
  const headers = { 'access-control-allow-origin': '*', ...(status === 503 && { 'retry-after': '1' }) };
  return textResponse(body, status, 'application/json; charset=utf-8', headers);
}

/** Prints an error that a webhook call can cause. Undefined for an unexpected one. */
export function printCallError(error: unknown): Response | undefined {
  if (error instanceof CallError) return problem(error.status, error.message, error.fields);
  if (error instanceof ApiError) return problem(error.status, error.message);
  if (error instanceof StorageFull)
    return problem(507, 'This call could not be recorded: there is no space left');
  // Callers may be strangers: the address of the database is for the log.
  if (error instanceof RecordsUnavailable)
    return problem(503, 'The database of this server does not answer. Try again in a moment.');
  return undefined;
}

/** Prints an error for the control API. */
export function controlProblem(status: number, message: string, fields: object = {}): Response {
  return jsonResponse({ message, ...fields }, status);
}

/** Prints an error that a handler of the control API throws. Undefined for an unexpected one. */
export function printControlError(error: unknown): Response | undefined {
  if (error instanceof IssuesError) {
    const fields = { code: error.status, meta: { validationError: true }, issues: error.issues };
    return controlProblem(error.status, error.message, fields);
  }
  if (error instanceof ApiError) {
    const { hint } = error as { hint?: string };
    return controlProblem(
      error.status,
      error.message,
      hint === undefined ? {} : { code: error.status, hint },
    );
  }
  if (error instanceof StorageFull) return controlProblem(507, error.message);
  if (error instanceof RecordsUnavailable) return controlProblem(503, error.message);
  if (error instanceof DataTableError) return controlProblem(error.status, error.message);
  if (error instanceof NodeError) {
    return controlProblem(400, [error.message, error.description].filter(Boolean).join('. '));
  }
  return undefined;
}
