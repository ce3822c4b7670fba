/**
 * The wire grammar between a caller (service worker, page, bridge) and the server worker that owns the core: types
 * only. The same frames travel over a MessagePort (as structured clones) and over a WebSocket (`encoding.ts`).
 *
 * The caller opens with `hello` and is answered by `hello`. Then it starts exchanges, each under an id of its own choosing that is never
 * used twice on a channel:
 *
 *     caller                                      server
 *     open    ------------------------------->
 *             <-------------------------------    accept      at once: from here on the request is the server's
 *     chunk*, end | error  ------------------>                the request's body, never more than was granted
 *             <-------------------------------    credit*     grants more of it
 *             <-------------------------------    head
 *             <-------------------------------    chunk*, end | error
 *     credit* ------------------------------->
 *     cancel  ------------------------------->                the caller has left: the work stops
 *             <-------------------------------    cancel      no more of the request's body is wanted
 *
 * A WebSocket begins with `connect` instead of `open`; it is accepted by `connected`, or refused by `head` with a body.
 * A stream that ends without `end` is broken, never short.
 */
import type { CallContext } from '#core/http';

export type Frame = HelloFrame | ByeFrame | PingFrame | PongFrame | RequestFrame | BodyFrame | WebSocketFrame;

/** First frame of both sides, the caller's before the server's. The version spoken is the smaller of the two `version`s, if both still know it. */
export interface HelloFrame {
  type: 'hello';
  /** Newest version of this grammar that the sender speaks. */
  version: number;
  /** Oldest version that it still speaks. */
  oldest: number;
  /** Build of the sender, for people. */
  build?: string;
  /** Web Lock that the sender holds while it lives: when it can be had, the sender is gone. */
  lock?: string;
}

/** The sender closes the channel; everything still running on it is lost. */
export interface ByeFrame {
  type: 'bye';
  reason: string;
}

/** Answered at once by `pong`, while other work is running: tells that the other side is neither gone nor frozen. */
export interface PingFrame {
  type: 'ping';
  id: number;
}
export interface PongFrame {
  type: 'pong';
  id: number;
  /** Requests, on all channels, that a restart of the server would cut. */
  running: number;
}

export type RequestFrame = OpenFrame | AcceptFrame | HeadFrame;

export type HeaderList = [name: string, value: string][];

export interface OpenFrame {
  type: 'open';
  id: number;
  method: string;
  /** Absolute. */
  url: string;
  headers: HeaderList;
  /** A body follows as `chunk` … `end` or as `blob`. */
  body: boolean;
  /** Bytes of the response's body that may be sent before more are granted. */
  credit: number;
  /** What the caller knows about the client; only trusted callers (the bridge) are believed. */
  context?: Partial<CallContext>;
}

export interface AcceptFrame {
  type: 'accept';
  id: number;
  /** Bytes of the request's body that may be sent before more are granted. */
  credit: number;
}

export interface HeadFrame {
  type: 'head';
  id: number;
  status: number;
  statusText: string;
  headers: HeaderList;
  /** A body follows as `chunk` … `end`. Without one the exchange ends here. */
  body: boolean;
  /** The whole body by reference instead; only on channels that carry Blobs. */
  blob?: Blob;
}

/** Bodies, in both directions: whose body is meant follows from who sends. */
export type BodyFrame = ChunkFrame | BlobFrame | CreditFrame | EndFrame | ErrorFrame | CancelFrame;

export interface ChunkFrame {
  type: 'chunk';
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}
/** The whole body of a request by reference, ended by itself; only on channels that carry Blobs. Needs no credit. */
export interface BlobFrame {
  type: 'blob';
  id: number;
  blob: Blob;
}
/** The receiver of a body has room for `bytes` more; for a socket: it has taken messages of that many bytes. */
export interface CreditFrame {
  type: 'credit';
  id: number;
  bytes: number;
}
export interface EndFrame {
  type: 'end';
  id: number;
}
/** The sender's body, or the whole answer before its head, has failed. */
export interface ErrorFrame {
  type: 'error';
  id: number;
  /** Names the cause, for people. */
  message: string;
}
export interface CancelFrame {
  type: 'cancel';
  id: number;
  reason?: string;
}

export type WebSocketFrame = ConnectFrame | ConnectedFrame | MessageFrame | CloseFrame;

export interface ConnectFrame {
  type: 'connect';
  id: number;
  /** Absolute, `http:` or `https:`. */
  url: string;
  headers: HeaderList;
  protocols: string[];
  /** Bytes of a refusal's body that may be sent before more are granted. */
  credit: number;
  context?: Partial<CallContext>;
}
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
/** Either side closes; nothing follows. Codes as in RFC 6455. */
export interface CloseFrame {
  type: 'close';
  id: number;
  code: number;
  reason: string;
}
