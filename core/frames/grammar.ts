/**
 * The protocol between a caller (service worker, page, bridge) and the server worker that owns the core: types only. The
 * same frames travel over a MessagePort, as structured clones, and over a WebSocket, see channels/encoding.ts.
 *
 * The caller sends `hello` first, and the server answers with its own. Then the caller starts exchanges. Each has an id
 * that the caller chooses and never uses twice on a channel.
 *
 * ```
 * caller                                      server
 * open    ------------------------------->
 *         <-------------------------------    accept      at once: from here on the request is the server's
 * chunk*, end | error  ------------------>                the request's body, within the granted credit; a caller
 *                                                         that `confirms` sends `end` also without a body
 *         <-------------------------------    credit*     grants more of it
 *         <-------------------------------    head
 *         <-------------------------------    chunk*, end | error
 * credit* ------------------------------->
 * cancel  ------------------------------->                the client has disconnected: the work stops
 *         <-------------------------------    cancel      the rest of the request's body is not wanted
 * ```
 *
 * A WebSocket begins with `connect` instead of `open`. The server accepts it by `connected`, or refuses it by `head` with a
 * body. A stream that stops without `end` or `error` is broken, never complete.
 */
import type { CallContext } from '#core/http';
import type { ServerReport } from './server-report.ts';

export type Frame = HelloFrame | ByeFrame | PingFrame | PongFrame | RequestFrame | BodyFrame | WebSocketFrame;

/**
 * The first frame of both sides. The caller's comes before the server's. Both speak the smaller of the two `version`s, if
 * that is not below either `oldest`.
 */
export interface HelloFrame {
  type: 'hello';
  /** The newest version of this grammar that the sender speaks. */
  version: number;
  /** The oldest version that it still speaks. */
  oldest: number;
  /** The build of the sender, for people. */
  build?: string;
  /** A Web Lock that the sender holds while it lives. A peer that gets this lock knows that the sender is gone. */
  lock?: string;
  /** Facts about a server, for a caller that chooses between several. */
  report?: ServerReport;
}

/** The sender closes the channel. Everything that runs on it is lost. */
export interface ByeFrame {
  type: 'bye';
  reason: string;
}

/** Answered by `pong` at once, also during other work: shows that the other side is neither gone nor frozen. */
export interface PingFrame {
  type: 'ping';
  id: number;
}
export interface PongFrame {
  type: 'pong';
  id: number;
  /** How many requests, on all channels, a restart of the server would cut off. */
  running: number;
  /** As in `HelloFrame`. Left out while it is the same as in the last frame that had one. */
  report?: ServerReport;
}

export type RequestFrame = OpenFrame | AcceptFrame | HeadFrame;

/** Headers in their order. A name may occur several times. */
export type HeaderList = [name: string, value: string][];

/** Starts a request. */
export interface OpenFrame {
  type: 'open';
  id: number;
  method: string;
  /** An absolute URL. */
  url: string;
  headers: HeaderList;
  /** Whether a body follows, as `chunk` frames or as `blob`. */
  body: boolean;
  /** The caller sends `end` when it knows that the request was accepted. The server does not begin before. */
  confirms?: boolean;
  /** How many bytes of the response's body may be sent before more are granted. */
  credit: number;
  /** Facts about the client that the caller knows. A server believes them only from a trusted caller, as the bridge is. */
  context?: Partial<CallContext>;
}

/** The server has taken the request. The caller must not send it elsewhere any more. */
export interface AcceptFrame {
  type: 'accept';
  id: number;
  /** How many bytes of the request's body may be sent before more are granted. */
  credit: number;
}

/** The head of a response. */
export interface HeadFrame {
  type: 'head';
  id: number;
  status: number;
  statusText: string;
  headers: HeaderList;
  /** Whether a body follows as `chunk` frames. If not, the exchange ends here. */
  body: boolean;
  /** The complete body by reference, in place of chunks; only on channels that carry Blobs. */
  blob?: Blob;
}

/** Frames about bodies, in both directions. The sender of a frame says which of the two bodies is meant. */
export type BodyFrame = ChunkFrame | BlobFrame | CreditFrame | EndFrame | ErrorFrame | CancelFrame;

export interface ChunkFrame {
  type: 'chunk';
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The complete body of a request by reference; only on channels that carry Blobs. Needs no credit and no `end`. */
export interface BlobFrame {
  type: 'blob';
  id: number;
  blob: Blob;
}

/** The receiver of a body has room for more bytes. On a WebSocket: it has taken messages of that length. */
export interface CreditFrame {
  type: 'credit';
  id: number;
  bytes: number;
}

/** The body is complete. */
export interface EndFrame {
  type: 'end';
  id: number;
}

/** The sender's body has failed, or the response before its head. */
export interface ErrorFrame {
  type: 'error';
  id: number;
  /** The cause, for people. */
  message: string;
}

/** The receiver does not want the rest of a body. From a caller: it does not want the response either. */
export interface CancelFrame {
  type: 'cancel';
  id: number;
  reason?: string;
}

export type WebSocketFrame = ConnectFrame | ConnectedFrame | MessageFrame | CloseFrame;

/** Starts a WebSocket. */
export interface ConnectFrame {
  type: 'connect';
  id: number;
  /** Absolute, `http:` or `https:`. */
  url: string;
  headers: HeaderList;
  protocols: string[];
  /** How many bytes of a refusal's body may be sent before more are granted. */
  credit: number;
  /** As in `OpenFrame`. */
  context?: Partial<CallContext>;
}

/** The WebSocket is open. */
export interface ConnectedFrame {
  type: 'connected';
  id: number;
  protocol?: string;
}

export interface MessageFrame {
  type: 'message';
  id: number;
  data: string | Uint8Array<ArrayBuffer>;
}

/** Either side closes the WebSocket. Nothing follows. Codes are those of RFC 6455. */
export interface CloseFrame {
  type: 'close';
  id: number;
  code: number;
  reason: string;
}
