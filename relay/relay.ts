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

/** Milliseconds after which a request that nobody took is not offered to a next server. */
const GIVE_UP = 2 * ACCEPT_TIMEOUT;

/**
 * The answer of the newest server. A request that no server has taken is offered to the next one; a failure before
 * the head is a 503 in the dialect of the path; only the request's own signal rejects.
 */
export async function relayRequest(
  link: ServerConnection,
  request: OutgoingRequest,
  api: ApiName,
): Promise<Response> {
  const started = performance.now();
  let over = false;
  let answered = false;
  const finish = () => {
    if (over && answered) request.onEnd?.();
  };
  const { pathname } = new URL(request.url);
  for (;;) {
    let client: FrameClient | undefined;
    let taken = false;
    try {
      client = await link.connect();
      const response = await client.fetch({
        ...request,
        onAccepted: () => {
          taken = true;
        },
        onEnd: () => {
          over = true;
          finish();
        },
      });
      answered = true;
      finish();
      return response;
    } catch (cause) {
      over = false;
      if (request.signal?.aborted) {
        request.onEnd?.();
        throw request.signal.reason;
      }
      if (cause instanceof NotAccepted && client) link.complain(client);
      const again = !taken && (cause instanceof NotAccepted || cause instanceof PeerLost);
      if (again && performance.now() - started < GIVE_UP) continue;
      const message =
        cause instanceof PeerLost && taken
          ? `The answer broke off: ${cause.message}. Ask again.`
          : toFrameError(cause).message;
      request.onEnd?.();
      if (!(cause instanceof FrameError)) console.error('tabd: relaying failed', cause);
      return unavailableResponse(api, pathname, message, { retryAfter: 1, servedBy: 'tab' });
    }
  }
}
