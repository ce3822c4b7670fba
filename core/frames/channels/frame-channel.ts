import type { Frame } from '../grammar.ts';

/** What carries frames, in order and whole, between two peers. */
export interface FrameChannel {
  /** A Blob may be sent as it is (by reference); otherwise it is sent as chunks. */
  readonly carriesBlobs: boolean;
  /** `transfer`: buffers that the sender gives away, where the carrier can move them. Does nothing once closed. */
  send(frame: Frame, transfer?: ArrayBuffer[]): void;
  /** Set once, by the peer that is put on the channel; frames that came before are delivered then. */
  onFrame(listener: (frame: Frame) => void): void;
  /** Called once with the cause when nothing more can come: closed, broken, or an unreadable frame. */
  onClose(listener: (cause: Error) => void): void;
  close(): void;
}
