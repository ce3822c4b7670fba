import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toFetchRequest } from './fetch-request.ts';
import type { ClientRequest } from './port-request.ts';
import { HEAD_TIMES, MAX_HEADERS } from './port-server.ts';
import { hasBody, requestBody } from './request-body.ts';
import { type UpgradeResult, WebSocketUpgrader } from './websocket.ts';
import { writeResponse } from './write-response.ts';

/** Answers the requests of a port. `request.signal` aborts when the client disconnects. */
export interface HttpHandler {
  fetch(request: Request, incoming: IncomingMessage): Promise<Response>;
  connect(request: Request, incoming: IncomingMessage): Promise<UpgradeResult>;
  /**
   * Called at the end of an exchange. `status`: 101 for a WebSocket, 499 for a client that disconnected
   * before the response.
   */
  done?(request: Request, status: number): void;
}

/** Milliseconds in which a client can receive the answer to a request that it still sends. */
const RECEIVE_TIME = 1000;

/**
 * Running requests and open WebSockets. The set keeps each Request alive, so that its signal is not
 * garbage-collected.
 */
export class RunningRequests {
  readonly requests = new Set<Request>();
  /** Sockets whose request was answered before its body had arrived, with the time of the answer. */
  readonly #unread = new Map<Socket, number>();
  readonly upgrader = new WebSocketUpgrader();

  get count(): number {
    return this.requests.size + this.upgrader.open;
  }

  /** The request was answered. If the rest of its body still comes, its connection does not become idle. */
  answered(incoming: IncomingMessage): void {
    const { socket } = incoming;
    if (incoming.complete || socket.destroyed) return;
    this.#unread.set(socket, performance.now());
    const forget = () => this.#unread.delete(socket);
    incoming.once('end', forget).once('close', forget);
  }

  /** Cuts connections whose clients have had time to receive their answer, and still send the request. */
  cutUnread(): void {
    const now = performance.now();
    for (const [socket, since] of this.#unread) if (now - since > RECEIVE_TIME) socket.destroy();
  }
}

/** An HTTP server, not listening yet, that passes each request to `handler` as a Fetch Request. */
export function httpServer(
  handler: HttpHandler,
  running: RunningRequests,
  headTimes = HEAD_TIMES,
): HttpServer {
  const server = createHttpServer({
    // Uploads and responses may take hours. Only the head of a request must arrive soon.
    requestTimeout: 0,
    ...headTimes,
    keepAliveTimeout: 75_000,
    maxHeaderSize: MAX_HEADERS,
    keepAlive: true,
    noDelay: true,
  });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void answerRequest(handler, running, incoming, outgoing);
  server.on('request', answer);
  // `100 Continue` is sent when the body is first read, so that a refused upload never starts.
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
      replayWithoutUpgrade(server, incoming, socket, head);
    }
  });
  return server;
}

async function answerRequest(
  handler: HttpHandler,
  running: RunningRequests,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onBodyWanted?: () => void,
): Promise<void> {
  let request: ClientRequest;
  try {
    request = toFetchRequest(incoming, hasBody(incoming) ? requestBody(incoming, onBodyWanted) : undefined);
  } catch (error) {
    await writeResponse(plainText(400, `bad request: ${(error as Error).message}`), outgoing);
    return;
  }
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) request.leave();
  });
  running.requests.add(request);
  try {
    await writeResponse(await handler.fetch(request, incoming), outgoing);
  } catch (error) {
    if (!outgoing.headersSent) await writeResponse(plainText(500, (error as Error).message), outgoing);
    else outgoing.destroy();
  } finally {
    running.requests.delete(request);
    running.answered(incoming);
    handler.done?.(request, outgoing.headersSent ? outgoing.statusCode : 499);
  }
}

async function answerUpgrade(
  handler: HttpHandler,
  running: RunningRequests,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const onDisconnect = () => request?.leave();
  socket.once('close', onDisconnect).on('error', onDisconnect);
  let request: ClientRequest | undefined;
  let answer: UpgradeResult;
  try {
    request = toFetchRequest(incoming, undefined);
    running.requests.add(request);
    answer = await handler.connect(request, incoming);
  } catch (error) {
    answer = plainText(request ? 500 : 400, (error as Error).message);
  } finally {
    if (request) running.requests.delete(request);
  }
  if (request) handler.done?.(request, answer instanceof Response ? answer.status : 101);
  if (socket.destroyed) return;
  if (!(answer instanceof Response)) {
    // From now on the close event of the WebSocket reports the end, with its code.
    socket.off('close', onDisconnect).off('error', onDisconnect);
    running.upgrader.admit(incoming, socket, head, answer);
    return;
  }
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  outgoing.assignSocket(socket as never);
  await writeResponse(answer, outgoing);
  socket.end();
}

/**
 * Java's client and `curl --http2` offer h2c on their first request. Node passes such requests to the upgrade
 * listener and detaches their parser. This function puts the request back on the socket without the offer, so
 * that it is parsed again.
 */
function replayWithoutUpgrade(
  server: HttpServer,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
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

function plainText(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
