import { PeerLost } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import type { FrameChannel } from './frame-channel.ts';
import { isFrame } from './is-frame.ts';

/** A MessagePort, a Worker, a BroadcastChannel: what frames can be posted to as structured clones. */
export interface PortLike {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform types its own message event
  addEventListener(type: string, listener: (event: any) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform types its own message event
  removeEventListener(type: string, listener: (event: any) => void): void;
  start?(): void;
  close(): void;
}

/**
 * Frames over a port. A port tells nothing of a peer that was killed (where the `close` event exists it is heeded, but
 * it does not come for every death): watch the peer's lock as well.
 */
export function portChannel(port: PortLike, { transfers = true } = {}): FrameChannel {
  let frameListener: ((frame: Frame) => void) | undefined;
  let closeListener: ((cause: Error) => void) | undefined;
  let closed: Error | undefined;

  const onMessage = (event: { data: unknown }) => {
    if (isFrame(event.data)) frameListener?.(event.data);
  };
  const onGone = (event: { type: string }) => {
    shut(
      new PeerLost(event.type === 'close' ? 'the other side closed its port' : 'a message could not be read'),
    );
  };
  const detach = () => {
    port.removeEventListener('message', onMessage);
    port.removeEventListener('messageerror', onGone);
    port.removeEventListener('close', onGone);
    port.close();
  };
  const shut = (cause: Error) => {
    if (closed) return;
    closed = cause;
    detach();
    closeListener?.(cause);
  };

  return {
    carriesBlobs: true,
    send(frame, transfer) {
      if (closed) return;
      if (transfers && transfer && transfer.length > 0) port.postMessage(frame, transfer);
      else port.postMessage(frame);
    },
    onFrame(listener) {
      frameListener = listener;
      port.addEventListener('message', onMessage);
      port.addEventListener('messageerror', onGone);
      port.addEventListener('close', onGone);
      port.start?.();
    },
    onClose(listener) {
      closeListener = listener;
      if (closed) listener(closed);
    },
    close() {
      if (closed) return;
      closed = new PeerLost('the port was closed on this side');
      detach();
    },
  };
}
