import type { Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';

/** A certificate chain and its key, as PEM. */
export interface TlsOptions {
  certificate: string;
  key: string;
}

/** The listening server of a port, and the HTTP servers that receive its connections. */
export interface PortServer {
  net: NetServer;
  http: HttpServer[];
}

/** The first byte of a TLS handshake. No HTTP method begins with this byte. */
const HANDSHAKE = 22;
/** Milliseconds until the first byte of a connection: the same as for the head of a request. */
const FIRST_BYTE = 60_000;

/**
 * Serves plain HTTP and, with `tls`, https on the same port. A connection's first byte shows which one it
 * uses. Programs of this computer can thus continue to use http.
 */
export function portServer(create: () => HttpServer, tls?: TlsOptions): PortServer {
  const plain = create();
  if (!tls) return { net: plain, http: [plain] };
  const secure = httpsServer(create(), tls);
  const http = [plain, secure];
  const net = createNetServer({ keepAlive: true, noDelay: true }, (socket) =>
    handOver(socket, plain, secure),
  );
  // An HTTP server starts to check its timeouts when it listens. These servers never listen, so this code emits the
  // event.
  for (const server of http) net.once('listening', () => server.emit('listening'));
  net.once('close', () => {
    for (const server of http) server.close();
  });
  return { net, http };
}

/** An https server with the limits and listeners of `plain`. */
function httpsServer(plain: HttpServer, { certificate, key }: TlsOptions): HttpServer {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = plain;
  const server = createHttpsServer({
    cert: certificate,
    key,
    ALPNProtocols: ['http/1.1'],
    maxHeaderSize: MAX_HEADERS,
    ...HEAD_TIMES,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
  });
  for (const event of ['request', 'checkContinue', 'checkExpectation', 'upgrade', 'clientError'] as const) {
    for (const listener of plain.listeners(event)) server.on(event, listener as () => void);
  }
  // The device does not trust the certificate yet, or does not speak TLS. Neither needs a log entry.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/**
 * Milliseconds. Node looks for late heads at an interval, so a head is cut off at the latest after the sum of both
 * times: 60 s.
 */
export const HEAD_TIMES = { headersTimeout: 55_000, connectionsCheckingInterval: 5_000 };

/** Bytes of a request's head. The limit is high, because all programs on localhost share their cookies. */
export const MAX_HEADERS = 128 * 1024;

function handOver(socket: Socket, plain: HttpServer, secure: HttpServer): void {
  const drop = () => socket.destroy();
  socket.on('error', drop);
  socket.setTimeout(FIRST_BYTE, drop);
  socket.once('readable', () => {
    const first = socket.read(1) as Buffer | null;
    if (first === null) return socket.destroy();
    socket.setTimeout(0);
    socket.off('timeout', drop);
    socket.off('error', drop);
    socket.unshift(first);
    (first[0] === HANDSHAKE ? secure : plain).emit('connection', socket);
  });
}
