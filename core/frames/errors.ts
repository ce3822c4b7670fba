/** Something that carries frames failed; `message` names the cause. */
export class FrameError extends Error {
  override name = 'FrameError';
}
/** The other side of the channel is gone, or the channel was closed; what ran on it is lost. */
export class PeerLost extends FrameError {
  override name = 'PeerLost';
}
/** The other side did not take the request in time: it may be frozen. Nothing of the request's body was read. */
export class NotAccepted extends FrameError {
  override name = 'NotAccepted';
}
/** The two sides speak no common version of the grammar. */
export class VersionMismatch extends FrameError {
  override name = 'VersionMismatch';
}

export function toFrameError(cause: unknown): Error {
  return cause instanceof Error ? cause : new FrameError(String(cause));
}
