import type { Frame } from '../grammar.ts';

/** Carries frames between two peers, complete and in order. */
export interface FrameChannel {
  /** Whether a Blob may be sent by reference. Otherwise it is sent as chunks. */
  readonly carriesBlobs: boolean;
  /**
   * Sends a frame. Does nothing when the channel is closed.
   * @param transfer buffers that the sender gives away; a channel that cannot move them copies
   */
  send(frame: Frame, transfer?: ArrayBuffer[]): void;
  /** Sets the one listener for frames. Earlier frames are delivered to it at once. */
  onFrame(listener: (frame: Frame) => void): void;
  /**
   * Sets the one listener for an end that this side did not cause: the channel was closed or broken, or a message was
   * unreadable. It is called once; at once if that has happened.
   */
  onClose(listener: (cause: Error) => void): void;
  /** Closes the channel. The listener of `onClose` is not called. */
  close(): void;
}
