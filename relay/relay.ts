import {
  type FrameClient,
  FrameError,
  NotAccepted,
  type OutgoingRequest,
  PeerLost,
  toFrameError,
} from '#core/frames';
import { type ApiName, unavailableResponse } from '#core/http';
import { ACCEPT_TIMEOUT, type ServerConnection } from './server-connection.ts';

/** Milliseconds after which a request that no server has accepted is not sent to another server. */
const RETRY_DURATION = 2 * ACCEPT_TIMEOUT;

/**
 * The response of the newest server. A request that a server has not accepted is sent to the next one. A failure before the
 * head becomes a 503 in the dialect of the path. Rejects only when the request's signal aborts, with its reason.
 */
export async function relayRequest(
  connection: ServerConnection,
  request: OutgoingRequest,
  api: ApiName,
): Promise<Response> {
  const started = performance.now();
  let hasEnded = false;
  let hasHead = false;
  // The end is reported after the head at the earliest: before the head, the request may still be sent again.
  const finish = () => {
    if (hasEnded && hasHead) request.onEnd?.();
  };
  const { pathname } = new URL(request.url);
  for (;;) {
    let client: FrameClient | undefined;
    let isAccepted = false;
    try {
      client = await connection.connect();
      const response = await client.fetch({
        ...request,
        onAccepted: () => {
          isAccepted = true;
        },
        onEnd: () => {
          hasEnded = true;
          finish();
        },
      });
      hasHead = true;
      finish();
      return response;
    } catch (cause) {
      hasEnded = false;
      if (request.signal?.aborted) {
        request.onEnd?.();
        throw request.signal.reason;
      }
      if (cause instanceof NotAccepted && client) connection.reportUnresponsive(client);
      const canRetry = !isAccepted && (cause instanceof NotAccepted || cause instanceof PeerLost);
      if (canRetry && performance.now() - started < RETRY_DURATION) continue;
      const message =
        cause instanceof PeerLost && isAccepted
          ? `The answer broke off: ${cause.message}. Ask again.`
          : toFrameError(cause).message;
      request.onEnd?.();
      if (!(cause instanceof FrameError)) console.error('tabd: relaying failed', cause);
      return unavailableResponse(api, pathname, message, { retryAfter: 1, servedBy: 'tab' });
    }
  }
}
