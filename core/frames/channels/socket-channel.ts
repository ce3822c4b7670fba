import { FrameError, PeerLost, toFrameError } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { decodeFrame, encodeFrame } from './encoding.ts';
import type { FrameChannel } from './frame-channel.ts';

/** What a browser's WebSocket and the `ws` package's have in common. */
export interface SocketLike {
  binaryType: string;
  readonly readyState: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform types its own events
  addEventListener(type: any, listener: (event: any) => void): void;
}

const CONNECTING = 0;
const OPEN = 1;

/** Frames over a WebSocket, as `encoding.ts` writes them. Frames sent before it is open wait. */
export function socketChannel(socket: SocketLike): FrameChannel {
  let frameListener: ((frame: Frame) => void) | undefined;
  let closeListener: ((cause: Error) => void) | undefined;
  let closed: Error | undefined;
  let early: Frame[] = [];
  const waiting: Frame[] = [];
  socket.binaryType = 'arraybuffer';

  const shut = (cause: Error) => {
    if (closed) return;
    closed = cause;
    closeListener?.(cause);
  };
  socket.addEventListener('open', () => {
    for (const frame of waiting.splice(0)) socket.send(encodeFrame(frame));
  });
  socket.addEventListener('message', (event: { data: unknown }) => {
    if (closed) return;
    try {
      if (!(event.data instanceof ArrayBuffer)) throw new FrameError('a message is no frame');
      const frame = decodeFrame(new Uint8Array(event.data));
      if (frameListener) frameListener(frame);
      else early.push(frame);
    } catch (cause) {
      shut(toFrameError(cause));
      socket.close(1002, 'unreadable frame');
    }
  });
  socket.addEventListener('error', () => shut(new PeerLost('the connection broke')));
  socket.addEventListener('close', (event: { code?: number; reason?: string }) => {
    const reason = event.reason ? `: ${event.reason}` : '';
    shut(new PeerLost(`the connection was closed (${event.code ?? 1006}${reason})`));
  });

  return {
    carriesBlobs: false,
    send(frame) {
      if (closed) return;
      if (socket.readyState === OPEN) socket.send(encodeFrame(frame));
      else if (socket.readyState === CONNECTING) waiting.push(frame);
    },
    onFrame(listener) {
      frameListener = listener;
      for (const frame of early) listener(frame);
      early = [];
    },
    onClose(listener) {
      closeListener = listener;
      if (closed) listener(closed);
    },
    close() {
      if (closed) return;
      closed = new PeerLost('the connection was closed on this side');
      socket.close(1000);
    },
  };
}
