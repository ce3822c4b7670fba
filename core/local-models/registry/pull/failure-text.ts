import { DigestMismatch } from '#core/host';
import { ConnectionError, HttpStatusError } from '../transfer/http-file.ts';

export interface Failure {
  source: string;
  /** The source had the model; getting it failed. */
  found: boolean;
  error: unknown;
}

/** What a pull that no source could serve ends with. */
export function failureText(failures: Failure[]): string {
  const [only, ...others] = failures;
  if (!only) return 'pull model manifest: file does not exist';
  if (others.length === 0)
    return only.found ? downloadText(only.error) : `pull model manifest: ${words(only.error)}`;
  const each = failures.map(({ source, found, error }) =>
    // The address is in the message of a request that got no answer.
    error instanceof ConnectionError
      ? words(error)
      : `${source}: ${found ? downloadText(error) : words(error)}`,
  );
  return `pull model manifest: ${each.join('; ')}`;
}

function downloadText(error: unknown): string {
  if (error instanceof DigestMismatch) {
    return `digest mismatch, file must be downloaded again: want ${error.expected}, got ${error.actual}`;
  }
  const passing =
    error instanceof ConnectionError || (error instanceof HttpStatusError && error.status >= 500);
  return passing ? `max retries exceeded: ${words(error)}; pull again to go on from there` : words(error);
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
