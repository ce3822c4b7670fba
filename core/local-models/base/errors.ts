/** Status and text of every error that a handler throws. The printers of the APIs turn them into responses. */
import { errorMessage } from '#core/base';
import { ApiError } from '#core/http';

/** Thrown when a request ends because its client disconnected. 499 is nginx's status for it, which Ollama uses too. */
export function canceled(): ApiError {
  return new ApiError(499, 'request canceled');
}

/** An aborted request is a 499, an unexpected error a 500 with its own message. */
export function describeError(error: unknown): { status: number; message: string } {
  if (error instanceof ApiError) return { status: error.status, message: error.message };
  if (error instanceof Error && error.name === 'AbortError') return describeError(canceled());
  return { status: 500, message: errorMessage(error) };
}
