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

/** An MP4 file of the same coded pictures; sound that such files do not hold is coded anew. */
export async function copied(
  input: Input,
  pictures: InputVideoTrack,
  sound: InputAudioTrack | null,
  texts: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const output = new Output({
    format: new Mp4OutputFormat({ metadataFormat: 'mdta' }),
    target: new BufferTarget(),
  });
  const conversion = await Conversion.init({
    input,
    output,
    tags: { raw: { ...texts } },
    copy: { shiftTolerance: Number.POSITIVE_INFINITY },
    video: (track) => ({ discard: track !== pictures }),
    audio: (track) => ({ discard: track !== sound }),
    showWarnings: false,
  });
  const lost = conversion.discardedTracks.find(({ track }) => track === pictures || track === sound);
  if (lost)
    throw new MediaUnavailable(
      `this browser cannot put its ${lost.track.isVideoTrack() ? 'pictures' : 'sound'} into an MP4 file (${lost.reason.replaceAll('_', ' ')})`,
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
