import type { Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';

/** A certificate (and those that vouch for it) and its key, as PEM. */
export interface TlsOptions {
  certificate: string;
  key: string;
}

/** What listens on a port, and the HTTP servers that its connections are handed to. */
export interface PortServer {
  net: NetServer;
  http: HttpServer[];
}

/** The first byte of a TLS handshake; no HTTP method begins with it. */
const HANDSHAKE = 22;
/** Milliseconds that a connection has to say its first byte: as long as for the head of a request. */
const FIRST_BYTE = 60_000;

/**
 * Plain HTTP, and with `tls` https on the same port: which of the two a client speaks shows in its first byte, so that
 * programs of this computer go on as they were.
 */
export function portServer(create: () => HttpServer, tls?: TlsOptions): PortServer {
  const plain = create();
  if (!tls) return { net: plain, http: [plain] };
  const secure = secured(create(), tls);
  const http = [plain, secure];
  const net = createNetServer({ keepAlive: true, noDelay: true }, (socket) => hand(socket, plain, secure));
  // An HTTP server watches over its connections from when it listens, which these do not by themselves.
  for (const server of http) net.once('listening', () => server.emit('listening'));
  net.once('close', () => {
    for (const server of http) server.close();
  });
  return { net, http };
}

/** An https server that answers as `plain` does: same limits, same listeners. */
function secured(plain: HttpServer, { certificate, key }: TlsOptions): HttpServer {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = plain;
  const server = createHttpsServer({
    cert: certificate,
    key,
    ALPNProtocols: ['http/1.1'],
    maxHeaderSize: MAX_HEADERS,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
  });
  for (const event of ['request', 'checkContinue', 'checkExpectation', 'upgrade', 'clientError'] as const) {
    for (const listener of plain.listeners(event)) server.on(event, listener as () => void);
  }
  // A device that does not trust the certificate yet, or speaks something else: nothing to be told about.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/** Bytes of the head of a request; all programs on localhost share their cookies. */
export const MAX_HEADERS = 128 * 1024;

function hand(socket: Socket, plain: HttpServer, secure: HttpServer): void {
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
