import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServerSocket, WebSocketSession } from '#core/http';

export type UpgradeResult = WebSocketSession | RawSocketSession | Response;

/** A session that uses the `ws` socket directly. */
export interface RawSocketSession {
  protocol?: string;
  startRaw(socket: WebSocket): void;
}

/** Bytes of the largest message of a client. A longer one closes the socket with code 1009. */
const MAX_MESSAGE = 256 * 1024 * 1024;

/** Completes WebSocket upgrades and tracks the open sockets, to close them at the end. */
export class WebSocketUpgrader {
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: MAX_MESSAGE,
    handleProtocols: (_offered, incoming) => this.#protocols.get(incoming) ?? false,
  });

  get open(): number {
    return this.#server.clients.size;
  }

  admit(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    session: WebSocketSession | RawSocketSession,
  ): void {
    if (session.protocol !== undefined) this.#protocols.set(incoming, session.protocol);
    this.#server.handleUpgrade(incoming, socket, head, (webSocket) => {
      if ('startRaw' in session) session.startRaw(webSocket);
      else session.start(new NodeServerSocket(webSocket));
    });
  }

  /** Closes every socket (1001, going away). `terminate` does not wait for the clients' close frames. */
  close(terminate: boolean): void {
    for (const client of this.#server.clients) {
      if (terminate) client.terminate();
      else client.close(1001, 'the server is stopping');
    }
  }
}

/** Adapts a `ws` socket for the core. Early messages are queued until there is a listener. */
export class NodeServerSocket implements ServerSocket {
  readonly #socket: WebSocket;
  #early: (string | Uint8Array)[] = [];
  #listener?: (data: string | Uint8Array) => void;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      const message = isBinary
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : data.toString('utf8');
      if (this.#listener) this.#listener(message);
      else this.#early.push(message);
    });
    // An `error` event is always followed by `close`, which is enough for the core.
    socket.on('error', () => {});
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(data);
  }

  close(code?: number, reason?: string): void {
    // 1005 and 1006 mean that there was no code. They must not be sent.
    if (code === undefined || code === 1005 || code === 1006) this.#socket.close();
    else this.#socket.close(code, reason);
  }

  onMessage(listener: (data: string | Uint8Array) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#socket.on('close', (code, reason) => listener(code, reason.toString('utf8')));
  }
}
