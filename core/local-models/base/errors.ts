/** Status and text of every error that a handler throws. The printers of the APIs turn them into responses. */
import { errorMessage } from '#core/base';
import { StorageFull } from '#core/host';
import { ApiError } from '#core/http';

/** Thrown when a request ends because its client disconnected. 499 is nginx's status for it, which Ollama uses too. */
export function canceled(): ApiError {
  return new ApiError(499, 'request canceled');
}

/**
 * An aborted request is a 499, full storage a 507, an unexpected error a 500 with its own message. An error of the
 * operating system contains a path of the computer, which no answer shows.
 */
export function describeError(error: unknown): { status: number; message: string } {
  if (error instanceof ApiError) return { status: error.status, message: error.message };
  if (error instanceof Error && error.name === 'AbortError') return describeError(canceled());
  if (error instanceof StorageFull) return { status: 507, message: error.message };
  const { code, syscall } = Object(error) as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && typeof syscall === 'string')
    return { status: 500, message: `the computer reported ${code} for the operation ${syscall}` };
  return { status: 500, message: errorMessage(error) };
}
