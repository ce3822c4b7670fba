import type { FrameClient, FramedWebSocket } from '#core/frames';
import type { CallContext, ServerSocket, WebSocketSession } from '#core/http';
import { headerList } from './outgoing-request.ts';

/** Opens a WebSocket at the other end of a frame connection. Resolves with its response if it refuses. */
export async function connectThrough(
  client: FrameClient,
  request: Request,
  context: CallContext,
): Promise<WebSocketSession | Response> {
  const answer = await client.connect({
    url: request.url,
    headers: headerList(request.headers),
    protocols: offeredProtocols(request),
    signal: request.signal,
    context,
  });
  if (answer instanceof Response) return answer;
  return { protocol: answer.protocol || undefined, start: (socket) => connectSockets(socket, answer) };
}

/** The subprotocols that a client offers, in its order. */
export function offeredProtocols({ headers }: Request): string[] {
  const offered = headers.get('sec-websocket-protocol');
  return offered ? offered.split(',').map((each) => each.trim()) : [];
}

/** Forwards messages and the close between the client's socket and the other end's. */
function connectSockets(client: ServerSocket, other: FramedWebSocket): void {
  client.onMessage((data) => other.send(data));
  other.onMessage((data) => client.send(data));
  client.onClose((code, reason) => other.close(code, reason));
  other.onClose((code, reason) => client.close(code, reason));
}
