/** The one interface that transports (service worker relay, direct port, bridge, Node ports) see of the core. */

import type { ApiName } from '../apis.ts';

/** Which table of routes a request is looked up in: the shared origin of an app, or the port of one API. */
export type Listener = 'origin' | ApiName;

export interface CallContext {
  listener: Listener;
  /** The listening socket is bound to loopback only: Host filters apply. True for the tab. */
  loopback: boolean;
  /** Address of the caller; `127.0.0.1` for callers in the page. */
  clientAddress: string;
  /** Origins of the app itself, allowed everywhere. */
  appOrigins: string[];
  /**
   * `page`: came out of the pages of the tab that answers, or by a visit to one of its addresses (which other sites
   * can cause). `operator`: someone who has shown that they may read this installation's files: the command line.
   * Otherwise anybody.
   */
  caller?: 'page' | 'operator';
}

export interface Server {
  /** Never throws: every failure is a response in the dialect of the path. `request.signal` stops the work. */
  fetch(request: Request, context: CallContext): Promise<Response>;
  /** A request to upgrade to a WebSocket: a session to run, or the response that refuses it. */
  connect(request: Request, context: CallContext): Promise<WebSocketSession | Response>;
  close(): Promise<void>;
}

export interface WebSocketSession {
  protocol?: string;
  /** Called once, when the socket is open. */
  start(socket: ServerSocket): void;
}

/** The server's end of a WebSocket, whatever carries it. */
export interface ServerSocket {
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
  onMessage(listener: (data: string | Uint8Array) => void): void;
  onClose(listener: (code: number, reason: string) => void): void;
  /** Bytes sent but not yet taken by the other side. */
  readonly bufferedAmount: number;
}
