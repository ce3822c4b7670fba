import { sleep } from '#core/base';
import type { Host } from '#core/host';
import { backoff } from '../transfer/backoff.ts';
import { ConnectionError, HttpStatusError, statusError } from '../transfer/http-file.ts';

const MAX_TRIES = 6;

/**
 * Sends a request, and repeats it after failures that may be temporary.
 * @param expectedStatuses statuses to return in addition to those of success
 * @throws HttpStatusError, ConnectionError, or the reason of the signal
 */
export async function withRetries(
  { host, signal }: { host: Pick<Host, 'clock' | 'log'>; signal: AbortSignal },
  request: () => Promise<Response>,
  expectedStatuses: number[] = [],
): Promise<Response> {
  for (let failures = 1; ; failures++) {
    try {
      const response = await request();
      if (response.ok || expectedStatuses.includes(response.status)) return response;
      throw await statusError(response, response.url);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error) || failures >= MAX_TRIES) throw error;
      const retryAfter = error instanceof HttpStatusError ? Math.min(error.retryAfter ?? 0, 60_000) : 0;
      host.log.info('an upload broke off and will continue', { reason: String(error) });
      await sleep(host.clock, Math.max(backoff(failures), retryAfter), signal);
    }
  }
}

/** A registry that refuses connections or has no address is down, or misspelled: that does not change soon. */
function isTransient(error: unknown): boolean {
  if (error instanceof HttpStatusError) return error.status >= 500 || error.status === 429;
  return error instanceof ConnectionError && !/connection refused|no such host/.test(error.message);
}
