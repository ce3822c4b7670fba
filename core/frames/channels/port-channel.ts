import { PeerLost } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import type { FrameChannel } from './frame-channel.ts';
import { isFrame } from './is-frame.ts';

/** A MessagePort, Worker or BroadcastChannel: whatever takes frames as structured clones. */
export interface PortLike {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform has its own type of message event
  addEventListener(type: string, listener: (event: any) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform has its own type of message event
  removeEventListener(type: string, listener: (event: any) => void): void;
  start?(): void;
  close(): void;
}

/**
 * Frames over a port. A port does not report that its peer was killed: the `close` event, where it exists, does not come
 * for every death. So the owner of the channel watches the peer's lock as well.
 * @param options.transfers whether the port can move buffers; a BroadcastChannel cannot
 */
export function portChannel(port: PortLike, { transfers = true } = {}): FrameChannel {
  let frameListener: ((frame: Frame) => void) | undefined;
  let closeListener: ((cause: Error) => void) | undefined;
  let closeCause: Error | undefined;

  const onMessage = (event: { data: unknown }) => {
    if (isFrame(event.data)) frameListener?.(event.data);
  };
  const onFailure = (event: { type: string }) => {
    closeWith(
      new PeerLost(event.type === 'close' ? 'the other side closed its port' : 'a message could not be read'),
    );
  };
  const detach = () => {
    port.removeEventListener('message', onMessage);
    port.removeEventListener('messageerror', onFailure);
    port.removeEventListener('close', onFailure);
    port.close();
  };
  const closeWith = (cause: Error) => {
    if (closeCause) return;
    closeCause = cause;
    detach();
    closeListener?.(cause);
  };

  return {
    carriesBlobs: true,
    send(frame, transfer) {
      if (closeCause) return;
      if (transfers && transfer && transfer.length > 0) port.postMessage(frame, transfer);
      else port.postMessage(frame);
    },
    onFrame(listener) {
      frameListener = listener;
      port.addEventListener('message', onMessage);
      port.addEventListener('messageerror', onFailure);
      port.addEventListener('close', onFailure);
      port.start?.();
    },
    onClose(listener) {
      closeListener = listener;
      if (closeCause) listener(closeCause);
    },
    close() {
      if (closeCause) return;
      closeCause = new PeerLost('the port was closed on this side');
      detach();
    },
  };
}
