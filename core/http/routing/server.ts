/** The interface by which all transports reach the core: service worker relay, direct port, bridge, Node ports. */
import type { ApiName } from '../apis.ts';

/** Which table of routes answers a request: `origin` for an app's own origin with all APIs, else the port of one API. */
export type Listener = 'origin' | ApiName;

/** Facts about a request that its transport adds. */
export interface CallContext {
  listener: Listener;
  /** The listening socket accepts connections of this computer alone, so that `Host` filters apply. True in a tab. */
  loopback: boolean;
  /** The client's IP address; `127.0.0.1` for pages. */
  clientAddress: string;
  /** Origins of the app itself. Every API allows them. */
  appOrigins: string[];
  /**
   * Rights of the client beyond those of its request. Undefined: none.
   * - `page`: a page of the tab that answers, or a visit to one of its addresses, which other sites can cause.
   * - `operator`: a program that has proved that it may read this installation's files, such as the command line.
   * - `peer`: another process of the same cluster, on its own behalf. A client's request that a door passes on has none.
   */
  caller?: 'page' | 'operator' | 'peer';
}

/** The core, as transports see it. The transport that created it closes it. */
export interface Server {
  /**
   * Answers a request. Never rejects: every error is a response in the dialect of the path. `request.signal` aborts the
   * work.
   */
  fetch(request: Request, context: CallContext): Promise<Response>;
  /** Answers a WebSocket upgrade: with a session to start, or with the response that refuses it. Never rejects. */
  connect(request: Request, context: CallContext): Promise<WebSocketSession | Response>;
  /** Aborts running requests and closes all APIs. */
  close(): Promise<void>;
}

/** The API of a port. Paths of the page's own origin that belong to no port count as local models. */
export const apiOfContext = ({ listener }: CallContext): ApiName =>
  listener === 'origin' ? 'local-models' : listener;

/** The server's side of an accepted WebSocket. */
export interface WebSocketSession {
  /** The chosen subprotocol. */
  protocol?: string;
  /** Called once, when the socket is open. */
  start(socket: ServerSocket): void;
}

/** The server's end of a WebSocket, whatever carries it. */
export interface ServerSocket {
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
  /** Sets the one listener for messages. Earlier messages are delivered to it at once. */
  onMessage(listener: (data: string | Uint8Array) => void): void;
  /** Sets the one listener for the end. It is called once, whichever side closed. */
  onClose(listener: (code: number, reason: string) => void): void;
  /** Bytes that were sent and that the client has not taken yet. */
  readonly bufferedAmount: number;
}
