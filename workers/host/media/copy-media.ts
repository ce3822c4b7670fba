import {
  BufferTarget,
  Conversion,
  type Input,
  type InputAudioTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { MediaUnavailable } from '#core/host';

/**
 * An MP4 file with the same encoded video. Audio in a codec that MP4 does not support is encoded again.
 * @param metadata texts of the file by their names
 * @throws MediaUnavailable when a track cannot be copied
 */
export async function copyToMp4(
  input: Input,
  video: InputVideoTrack,
  audio: InputAudioTrack | null,
  metadata: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const output = new Output({
    format: new Mp4OutputFormat({ metadataFormat: 'mdta' }),
    target: new BufferTarget(),
  });
  const conversion = await Conversion.init({
    input,
    output,
    tags: { raw: { ...metadata } },
    copy: { shiftTolerance: Number.POSITIVE_INFINITY },
    video: (track) => ({ discard: track !== video }),
    audio: (track) => ({ discard: track !== audio }),
    showWarnings: false,
  });
  const discarded = conversion.discardedTracks.find(({ track }) => track === video || track === audio);
  if (discarded)
    throw new MediaUnavailable(
      `this browser cannot put its ${discarded.track.isVideoTrack() ? 'video' : 'audio'} into an MP4 file (${discarded.reason.replaceAll('_', ' ')})`,
    );
  signal.throwIfAborted();
  const stop = () => void conversion.cancel().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    await conversion.execute();
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return new Uint8Array(output.target.buffer!);
}
