import { errorMessage } from '#core/base';
import { ApiError, jsonResponse } from '#core/http';
import { NodeError } from '../node-api/node-error.ts';
import { IssuesError } from '../registrations/publish-check.ts';

/** An error as the control API writes it. */
export function controlProblem(status: number, message: string, more: object = {}): Response {
  return jsonResponse({ message, ...more }, status);
}

/** What a handler threw; undefined for what nobody foresaw. */
export function controlFailure(error: unknown): Response | undefined {
  if (error instanceof IssuesError)
    return controlProblem(error.status, error.message, {
      code: error.status,
      meta: { validationError: true },
      issues: error.issues,
    });
  if (error instanceof ApiError) {
    const { hint } = error as { hint?: string };
    return controlProblem(
      error.status,
      error.message,
      hint === undefined ? {} : { code: error.status, hint },
    );
  }
  if (error instanceof NodeError) {
    return controlProblem(400, [errorMessage(error), error.description].filter(Boolean).join('. '));
  }
  return undefined;
}
