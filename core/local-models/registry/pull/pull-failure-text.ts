import { errorMessage } from '#core/base';
import { DigestMismatch } from '#core/host';
import { ConnectionError, HttpStatusError } from '../transfer/http-file.ts';

export interface SourceFailure {
  /** The name of the source. */
  source: string;
  /** Whether the source had the model, and only its download failed. */
  found: boolean;
  error: unknown;
}

/** The error text of a pull for which every source failed. */
export function pullFailureText(failures: SourceFailure[]): string {
  const [only, ...others] = failures;
  if (!only) return 'pull model manifest: file does not exist';
  if (others.length === 0)
    return only.found ? downloadText(only.error) : `pull model manifest: ${errorMessage(only.error)}`;
  const each = failures.map(({ source, found, error }) =>
    // The message of a ConnectionError contains the address.
    error instanceof ConnectionError
      ? errorMessage(error)
      : `${source}: ${found ? downloadText(error) : errorMessage(error)}`,
  );
  return `pull model manifest: ${each.join('; ')}`;
}

function downloadText(error: unknown): string {
  if (error instanceof DigestMismatch) {
    return `digest mismatch, file must be downloaded again: want ${error.expected}, got ${error.actual}`;
  }
  const isTransient =
    error instanceof ConnectionError || (error instanceof HttpStatusError && error.status >= 500);
  const text = errorMessage(error);
  return isTransient ? `max retries exceeded: ${text}; pull again to continue from there` : text;
}
