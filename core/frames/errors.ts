/** The transport of frames failed. The message names the cause. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** The other side of the channel is gone, or the channel was closed. Everything that ran on it is lost. */
export class PeerLost extends FrameError {
  override name = 'PeerLost';
}

/**
 * The other side did not accept the request in time; it may be frozen. Nothing of the request's body was read, so that the
 * request can be sent elsewhere.
 */
export class NotAccepted extends FrameError {
  override name = 'NotAccepted';
}

/** The two sides have no version of the grammar in common. */
export class VersionMismatch extends FrameError {
  override name = 'VersionMismatch';
}

/** The cause itself if it is an error, otherwise a `FrameError` with its text. */
export function toFrameError(cause: unknown): Error {
  return cause instanceof Error ? cause : new FrameError(String(cause));
}

/** The reason of a `bye` to a tab that may not connect again: it stops trying. */
export const REVOKED = 'this browser was disconnected on the computer of the ports';
