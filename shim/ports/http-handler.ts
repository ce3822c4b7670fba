import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { toFetchRequest } from './fetch-request.ts';
import { MAX_HEADERS } from './port-server.ts';
import { hasBody, requestBody } from './request-body.ts';
import { SocketDoor, type WebSocketAnswer } from './websocket.ts';
import { writeResponse } from './write-response.ts';

/** What answers on a socket. Both may take as long as they like: `request.signal` tells when the client has left. */
export interface HttpHandler {
  fetch(request: Request, incoming: IncomingMessage): Promise<Response>;
  connect(request: Request, incoming: IncomingMessage): Promise<WebSocketAnswer>;
  /** The answer to a request has been written or given up; `status` is 101 for a socket, 499 for a client that left. */
  done?(request: Request, status: number): void;
}

/** Requests and sockets that are being answered; also keeps each Request alive, whose signal would else be collected. */
export class Running {
  readonly requests = new Set<Request>();
  readonly door = new SocketDoor();

  get count(): number {
    return this.requests.size + this.door.open;
  }
}

/** An HTTP server, not listening yet, that hands every request to `handler` as a Fetch Request. */
export function httpServer(handler: HttpHandler, running: Running): HttpServer {
  const server = createHttpServer({
    // Uploads and answers may last for hours; only the head of a request has to come soon.
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: 75_000,
    maxHeaderSize: MAX_HEADERS,
    keepAlive: true,
    noDelay: true,
  });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void answerRequest(handler, running, incoming, outgoing);
  server.on('request', answer);
  // The permission to send is given when the body is first read: a refused upload never starts.
  server.on(
    'checkContinue',
    (incoming, outgoing) =>
      void answerRequest(handler, running, incoming, outgoing, () => outgoing.writeContinue()),
  );
  server.on('checkExpectation', answer);
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (incoming.headers.upgrade?.toLowerCase() === 'websocket') {
      void answerUpgrade(handler, running, incoming, socket, head);
    } else {
      reinject(server, incoming, socket, head);
    }
  });
  return server;
}

async function answerRequest(
  handler: HttpHandler,
  running: Running,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onBodyWanted?: () => void,
): Promise<void> {
  const left = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort(new DOMException('the client has left', 'AbortError'));
  });
  let request: Request;
  try {
    const body = hasBody(incoming) ? requestBody(incoming, onBodyWanted) : undefined;
    request = toFetchRequest(incoming, left.signal, body);
  } catch (error) {
    await writeResponse(plain(400, `bad request: ${(error as Error).message}`), outgoing);
    return;
  }
  running.requests.add(request);
  try {
    await writeResponse(await handler.fetch(request, incoming), outgoing);
  } catch (error) {
    if (!outgoing.headersSent) await writeResponse(plain(500, (error as Error).message), outgoing);
    else outgoing.destroy();
  } finally {
    running.requests.delete(request);
    handler.done?.(request, outgoing.headersSent ? outgoing.statusCode : 499);
  }
}

async function answerUpgrade(
  handler: HttpHandler,
  running: Running,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort(new DOMException('the client has left', 'AbortError'));
  socket.once('close', leave).on('error', leave);
  let request: Request | undefined;
  let answer: WebSocketAnswer;
  try {
    request = toFetchRequest(incoming, left.signal, undefined);
    running.requests.add(request);
    answer = await handler.connect(request, incoming);
  } catch (error) {
    answer = plain(request ? 500 : 400, (error as Error).message);
  } finally {
    if (request) running.requests.delete(request);
  }
  if (request) handler.done?.(request, answer instanceof Response ? answer.status : 101);
  if (socket.destroyed) return;
  if (!(answer instanceof Response)) {
    // From here on the WebSocket tells by its own close, code and all, that the client has left.
    socket.off('close', leave).off('error', leave);
    running.door.admit(incoming, socket, head, answer);
    return;
  }
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  outgoing.assignSocket(socket as never);
  await writeResponse(answer, outgoing);
  socket.end();
}

/**
 * Java's client and `curl --http2` ask every server for h2c on their first request. Node gives such requests to the
 * upgrade listener with their parser gone: the request is put back on the socket without the offer, to be read again.
 */
function reinject(server: HttpServer, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}`];
  const dropped = new Set(['upgrade', 'http2-settings', 'connection']);
  const raw = incoming.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!dropped.has(raw[at]!.toLowerCase())) lines.push(`${raw[at]}: ${raw[at + 1]}`);
  }
  if (head.length > 0) socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  server.emit('connection', socket);
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
