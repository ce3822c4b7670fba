import { FrameError, PeerLost, toFrameError } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { decodeFrame, encodeFrame } from './encoding.ts';
import type { FrameChannel } from './frame-channel.ts';

/** The common part of a browser's WebSocket and that of the package `ws`. */
export interface SocketLike {
  binaryType: string;
  readonly readyState: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform has its own types of events
  addEventListener(type: any, listener: (event: any) => void): void;
}

const CONNECTING = 0;
const OPEN = 1;

/** Frames over a WebSocket, encoded by encoding.ts. Frames that are sent before the socket is open wait for it. */
export function socketChannel(socket: SocketLike): FrameChannel {
  let frameListener: ((frame: Frame) => void) | undefined;
  let closeListener: ((cause: Error) => void) | undefined;
  let closeCause: Error | undefined;
  /** Frames that arrived before there was a listener. */
  let earlyFrames: Frame[] = [];
  /** Frames to send when the socket is open. */
  const unsentFrames: Frame[] = [];
  socket.binaryType = 'arraybuffer';

  const closeWith = (cause: Error) => {
    if (closeCause) return;
    closeCause = cause;
    closeListener?.(cause);
  };
  socket.addEventListener('open', () => {
    for (const frame of unsentFrames.splice(0)) socket.send(encodeFrame(frame));
  });
  socket.addEventListener('message', (event: { data: unknown }) => {
    if (closeCause) return;
    try {
      if (!(event.data instanceof ArrayBuffer)) throw new FrameError('a message is no frame');
      const frame = decodeFrame(new Uint8Array(event.data));
      if (frameListener) frameListener(frame);
      else earlyFrames.push(frame);
    } catch (cause) {
      closeWith(toFrameError(cause));
      socket.close(1002, 'unreadable frame');
    }
  });
  socket.addEventListener('error', () => closeWith(new PeerLost('the connection broke')));
  socket.addEventListener('close', (event: { code?: number; reason?: string }) => {
    const reason = event.reason ? `: ${event.reason}` : '';
    closeWith(new PeerLost(`the connection was closed (${event.code ?? 1006}${reason})`));
  });

  return {
    carriesBlobs: false,
    send(frame) {
      if (closeCause) return;
      if (socket.readyState === OPEN) socket.send(encodeFrame(frame));
      else if (socket.readyState === CONNECTING) unsentFrames.push(frame);
    },
    onFrame(listener) {
      frameListener = listener;
      for (const frame of earlyFrames) listener(frame);
      earlyFrames = [];
    },
    onClose(listener) {
      closeListener = listener;
      if (closeCause) listener(closeCause);
    },
    close() {
      if (closeCause) return;
      closeCause = new PeerLost('the connection was closed on this side');
      socket.close(1000);
    },
  };
}
